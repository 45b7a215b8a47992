"""`spec.security`: key types, key rotation and where disk keys are kept."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from orchestrator.model.spec.base import Section, StringMap, unique

KeyType = Literal["aes", "aes256k"]


class KeyPolicy(Section):
    key_generation: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    key_rotation_policy: Literal["", "Disabled", "KeyGeneration"] = ""
    key_type: KeyType | None = None


class CsiKeyPolicy(KeyPolicy):
    keep_prior_key_count_max: Annotated[int, Field(ge=0, le=10)] = 0


class Cephx(Section):
    allowed_ciphers: (
        Annotated[
            tuple[KeyType, ...],
            Field(
                min_length=1,
                max_length=2,
                json_schema_extra={"x-kubernetes-list-type": "set"},
            ),
            AfterValidator(unique("cipher")),
        ]
        | None
    ) = None
    csi: CsiKeyPolicy = CsiKeyPolicy()
    daemon: KeyPolicy = KeyPolicy()
    rbd_mirror_peer: KeyPolicy = KeyPolicy()


class KeyRotation(Section):
    enabled: bool = False
    schedule: str = ""


class KeyManagement(Section):
    connection_details: StringMap = Field(default_factory=dict)
    token_secret_name: str = ""


class Security(Section):
    cephx: Cephx = Cephx()
    key_rotation: KeyRotation = KeyRotation()
    kms: KeyManagement = KeyManagement()
