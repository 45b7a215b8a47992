from orchestrator.planning.records import record


def test_a_record_is_the_same_today_and_tomorrow():
    assert record(type="mgr", id="a") == "1f2599e283457d83"


def test_the_order_of_a_description_says_nothing():
    assert record(type="mon", id="a") == record(id="a", type="mon")


def test_another_description_is_another_record():
    assert record(type="mon", id="a") != record(type="mon", id="b")
