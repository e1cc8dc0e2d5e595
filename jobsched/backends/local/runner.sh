# Runs one node of a task: setup, then run, then one line that says how it ended.
#
#     sh runner.sh DIRECTORY ATTEMPT BASH WORKDIR FENCE
#
# DIRECTORY holds the programs. Any POSIX shell; no other program is needed, and nothing of what it is given is expanded. Its names
# begin with _jobsched_ because the environment is the task's. Descriptors:
#   3  holds the workload lock; every process of the task inherits it
#   4  the record, whose lock tells that this shell lives; the task's processes do not get it
#   5  tells the launcher that this node is ready (or must not start)
#   6  the launcher's word that all nodes are; end of file: it died, nothing may start

umask 077
_jobsched_told=0
_jobsched_fence=
_jobsched_uptime=0
# A trap that is not empty keeps this shell alive to write the record, and leaves the signal's
# default to the programs that it starts.
trap '_jobsched_told=1' TERM
trap : HUP INT QUIT PIPE ALRM USR1 USR2 XFSZ

# PHASE CODE, whether this shell was told to end, and when it ends in seconds since boot.
_jobsched_end() {
    { read -r _jobsched_uptime _jobsched_fence </proc/uptime; } 2>/dev/null
    until printf '%s %s %s %s\n' "$1" "$2" "$_jobsched_told" "$_jobsched_uptime" >&4; do
        sleep 1 4>&-
    done 2>/dev/null
    exit 0
}

{ read -r _jobsched_fence <"$5"; } 2>/dev/null
if [ "$_jobsched_fence" != "$2" ]; then
    echo fenced >&5
    exit 0
fi
cd "$4" || exit 1
unset OLDPWD
echo ready >&5
exec 5>&-
read -r _jobsched_fence <&6 || exit 0
exec 6<&-
[ "$_jobsched_told" = 0 ] || exit 0
# Once more, for it may have taken long. A newer attempt that has seen this shell has adopted it;
# but where all was stopped, or the fence is no more, nothing may start.
_jobsched_fence=
{ read -r _jobsched_fence <"$5"; } 2>/dev/null
case $_jobsched_fence in
'' | *stopped) exit 0 ;;
esac

if [ -f "$1/setup" ]; then
    "$3" "$1/setup" 4>&-
    set -- "$@" "$?"
    [ "$6" = 0 ] || _jobsched_end SETUP "$6"
    [ "$_jobsched_told" = 0 ] || _jobsched_end RUN 143
fi
"$3" "$1/run" 4>&-
_jobsched_end RUN "$?"
