// commands.hpp: the subcommands. Each takes its own name as argv[0], so that another
// program can link and call it; none calls exit().
#pragma once

namespace qbix::cli {

int main_index(int argc, char** argv);
int main_view(int argc, char** argv);
int main_get(int argc, char** argv);
int main_check(int argc, char** argv);
int main_stats(int argc, char** argv);
int main_show(int argc, char** argv);
int main_write(int argc, char** argv);
int main_digest(int argc, char** argv);

}  // namespace qbix::cli
