#!/bin/sh
# version.sh: prints the version of qbix. A tarball has it written here; a clone adds what
# git knows, so that a build between two releases can be told from either.
VERSION=0.1.0

root=$(dirname "$0")
if [ -e "$root/.git" ] && described=$(git -C "$root" describe --always --dirty 2>/dev/null); then
    case $described in
        v[0-9]*.[0-9]*) VERSION=${described#v} ;;
        [0-9]*.[0-9]*) VERSION=$described ;;
        *) VERSION=$VERSION-g$described ;;
    esac
fi
echo "$VERSION"
