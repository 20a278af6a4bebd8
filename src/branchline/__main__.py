"""``python -m branchline`` is the same as the command ``branchline``."""

from branchline.cli import main

if __name__ == "__main__":
    main()
