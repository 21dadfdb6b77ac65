"""``python -m frugalsvm.cli``."""

from frugalsvm.cli import main

if __name__ == "__main__":
    main()
