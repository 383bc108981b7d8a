"""What a client can run without anything of ours."""
