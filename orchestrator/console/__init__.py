"""What people and scripts see: plans, status and progress, as text, YAML or JSON."""
