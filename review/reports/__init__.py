"""How experts and judges of a project do, over all its audits: for managers."""
