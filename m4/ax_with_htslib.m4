# AX_WITH_HTSLIB
#
# Adds --with-htslib=DIR|system and decides which htslib to use. DIR is a source tree (it
# has hts.c), a build tree (it has htslib_vars.mk) or the prefix of an installed one. When
# the option is not given, a folder htslib* inside the source tree is taken, then
# ../htslib, then the system's; more than one folder htslib* is an error, as guessing
# between them would be worse.
#
# Sets and substitutes
#   HTSDIR            the source or build tree, or empty
#   HTSLIB_CPPFLAGS   for compiling against it
#   HTSLIB_LDFLAGS    where to find an installed one
# and sets ax_cv_htslib (yes or no: whether there is anything at the place named) and
# ax_cv_htslib_which (source, install or system). Whether it works is for the caller to test.

AC_DEFUN([AX_WITH_HTSLIB], [
AC_ARG_WITH([htslib],
  [AS_HELP_STRING([--with-htslib=DIR|system],
    [use the htslib source tree, build tree or installation in DIR, or the installed one that the compiler finds [htslib*, then ../htslib, then system]])],
  [], [with_htslib=search])

AC_MSG_CHECKING([for an htslib to use])
HTSDIR=
HTSLIB_CPPFLAGS=
HTSLIB_LDFLAGS=
ax_cv_htslib=yes
ax_cv_htslib_which=system

AS_CASE([$with_htslib],
  [no], [AC_MSG_ERROR([--without-htslib is not possible: qbix reads BAM files through htslib])],
  [yes|system], [with_htslib=system],
  [search], [
    ax_htslib_found=
    for ax_htslib_dir in "$srcdir"/htslib* "$srcdir"/../htslib; do
      AS_IF([test -f "$ax_htslib_dir/hts.c" || test -f "$ax_htslib_dir/htslib_vars.mk"], [
        AS_CASE([$ax_htslib_dir:$ax_htslib_found],
          [*/../htslib:?*], [],
          [*:?*], [AC_MSG_ERROR([both $ax_htslib_found and $ax_htslib_dir are htslib source trees: say which with --with-htslib=DIR])],
          [ax_htslib_found=$ax_htslib_dir])
      ])
    done
    with_htslib=${ax_htslib_found:-system}
  ])

AS_IF([test "x$with_htslib" != xsystem], [
  AS_IF(
    [test -f "$with_htslib/hts.c" || test -f "$with_htslib/htslib_vars.mk"], [
      ax_cv_htslib_which=source
      HTSDIR=$with_htslib
      HTSLIB_CPPFLAGS="-I$with_htslib"],
    [test -f "$with_htslib/include/htslib/hts.h"], [
      ax_cv_htslib_which=install
      HTSLIB_CPPFLAGS="-I$with_htslib/include"
      HTSLIB_LDFLAGS="-L$with_htslib/lib"],
    [ax_cv_htslib=no])
])
AC_MSG_RESULT([$with_htslib ($ax_cv_htslib_which)])
AS_IF([test $ax_cv_htslib = no],
  [AC_MSG_ERROR([no htslib in "$with_htslib": it has neither hts.c, htslib_vars.mk nor include/htslib/hts.h])])

AC_SUBST([HTSDIR])
AC_SUBST([HTSLIB_CPPFLAGS])
AC_SUBST([HTSLIB_LDFLAGS])
])
