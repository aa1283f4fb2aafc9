#!/bin/bash
# maintainer.test.sh: what "make maintainer-check" looks at, as tests.
exec "$(dirname "$0")/../../scripts/maintainer-check.sh"
