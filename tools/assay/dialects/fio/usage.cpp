#include "tools/assay/dialects/fio/command_line.hpp"

namespace assay::cli::fio {

std::string usage_text() {
    return "assay fio [OPTIONS] [JOB OPTIONS] [JOB FILE ...]\n\n"
           "Takes fio's command lines and job files as they are, runs them as a plan on the block workload, and "
           "answers\n"
           "in fio's formats. Verdicts on the numbers are on stderr.\n\n"
           "  --name=NAME             begin a job; options before it hold for all jobs\n"
           "  --output=FILE           write the result there\n"
           "  --output-format=LIST    normal, json, json+, terse\n"
           "  --minimal               as --output-format=terse\n"
           "  --eta=WHEN              show progress: auto, always, never\n"
           "  --parse-only            check everything, run nothing\n"
           "  --showcmd               print the jobs as a command line\n"
           "  --readonly              refuse jobs that write\n"
           "  --section=NAME          run this section of the job files only; may be given several times\n"
           "  --assay-output=DIR      keep assay's bundle: all windows, samples and verdicts\n"
           "  --verdict-exit=on|off   whether a verdict decides the exit code [on; off when called as fio]\n"
           "  --list-options          what becomes of each of fio's job options, as Markdown\n"
           "  --version, --help\n\n"
           "A device that holds data is written to only if ASSAY_DESTROY names it (several with ':').\n"
           "Example: assay fio --name=probe --filename=/mnt/data/probe --rw=randread --bs=4k --size=1g --direct=1 \\\n"
           "             --ioengine=io_uring --iodepth=32 --runtime=30 --time_based\n";
}

} // namespace assay::cli::fio
