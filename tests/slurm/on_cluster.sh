#!/usr/bin/env bash
# Runs a command on a Slurm cluster of one node with one GPU that exists for that command only:
#   tests/slurm/on_cluster.sh COMMAND…
# The cluster lives in namespaces of its own. Whatever happens, the kernel ends all its daemons and jobs with it, and its
# files lie in a mount that no one else sees: a Slurm that the machine has is neither read nor changed.
set -euo pipefail
source "$(dirname "$0")/../../envs/apt.sh"
PATH=$PATH:/usr/sbin

if [ "${1:-}" != inside ]; then
    { command -v slurmctld && command -v munged; } > /dev/null \
        || apt_install "Slurm (apt, some ten seconds)" "The other tests do without: make test" slurm-wlm munge
    sudo=
    [ "$(id -u)" -eq 0 ] || sudo="sudo -n env PATH=$PATH"
    $sudo unshare --mount --pid --fork true 2> /dev/null \
        || fail "a cluster for a test takes root that may make namespaces (in a container: --privileged). The other tests do without: make test"
    exec $sudo unshare --mount --pid --fork --kill-child --mount-proc "$0" inside "$@"
fi
shift

at=/etc/slurm # where Slurm's commands look: Snakemake keeps SLURM_CONF from them
mkdir -p $at
mount -t tmpfs slurm $at
# What the node has is made up, so that jobs as large as real ones are scheduled; jobs measure neither.
cat > $at/slurm.conf << CONF
ClusterName=herbarium
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=46817
SlurmdPort=46818
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$at/munge.socket,cred_expire=5
StateSaveLocation=$at/state
SlurmdSpoolDir=$at/spool
SlurmctldPidFile=$at/slurmctld.pid
SlurmdPidFile=$at/slurmd.pid
SlurmctldLogFile=$at/slurmctld.log
SlurmdLogFile=$at/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
ReturnToService=2
JobRequeue=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
MinJobAge=3600
GresTypes=gpu
NodeName=localhost NodeAddr=127.0.0.1 CPUs=32 RealMemory=256000 Gres=gpu:1
PartitionName=cpu Nodes=ALL Default=YES
PartitionName=gpu Nodes=ALL GraceTime=5
PartitionName=urgent Nodes=ALL PriorityTier=2
CONF
echo "Name=gpu File=/dev/null" > $at/gres.conf
echo "CgroupAutomount=no" > $at/cgroup.conf
head -c 128 /dev/urandom > $at/munge.key
chmod 400 $at/munge.key

munged --force --key-file=$at/munge.key --socket=$at/munge.socket --pid-file=$at/munged.pid \
    --log-file=$at/munged.log --seed-file=$at/munged.seed
slurmctld
slurmd
is_up() { [ "$(sinfo --noheader --partition=gpu --format=%T 2> /dev/null)" = idle ]; }
for _ in {1..100}; do is_up && break || sleep 0.1; done
is_up || { tail $at/*.log >&2; fail "the cluster did not start within 10 s."; }
"$@"
