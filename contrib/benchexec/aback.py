"""The tool-info module of aback for BenchExec (https://github.com/sosy-lab/benchexec).

BenchExec finds it by its name contrib.benchexec.aback, if the folder of the repository is on PYTHONPATH.
"""

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """Runs `aback check` and reads its verdict from the text that it prints for people."""

    def name(self):
        return "aback"

    def executable(self, tool_locator):
        return tool_locator.find_executable("aback", subdir="target/release")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="aback ")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", *options]
        if task.property_file:
            command += ["--property", task.property_file]
        # aback says why it has no answer if it stops by itself. Its limit is one of wall time, which is never more than
        # the CPU time of a process that computes all the time.
        limits = [limit for limit in (rlimits.walltime, rlimits.cputime) if limit]
        if limits and "--timeout" not in options:
            command += ["--timeout", str(min(limits))]
        return [*command, *task.input_files]

    def determine_result(self, run):
        """The verdict counts only if the exit status agrees, so that a crash is never an answer."""
        if run.exit_code.signal is not None:
            return result.RESULT_ERROR
        verdict = next((line for line in run.output if _verdict(line)), None)
        answer = (run.exit_code.value, verdict and _verdict(verdict))
        if answer == (0, "holds"):
            return result.RESULT_TRUE_PROP
        if answer == (1, "violated"):
            return result.RESULT_FALSE_PROP
        if answer in ((3, "unknown"), (3, "holds within bounds")):
            return result.RESULT_UNKNOWN
        error = next((line for line in run.output if line.startswith("error: ")), None)
        return f"{result.RESULT_ERROR} ({error.removeprefix('error: ')})" if error else result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """The first line of the output of --stats that begins with the identifier: what follows it, to the next comma."""
        for line in output:
            if line.startswith(identifier + " "):
                return line.removeprefix(identifier).strip().split(",")[0]
        return None


def _verdict(line):
    """The verdict that a line begins with; None if it does not."""
    verdicts = ("holds", "violated", "unknown", "holds within bounds")
    return next((verdict for verdict in verdicts if line.startswith(verdict + ":")), None)
