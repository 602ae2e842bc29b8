#!/bin/sh
# What driver_test asks of the driver under the paravirtual policy; says "NAME VALUE" a line.
pmu=/sys/bus/event_source/devices/ringside_vpmu
event=ringside_vpmu/instructions/u
module=/lib/modules/$(uname -r)/ringside_pmu.ko

count() {
    name=$1
    shift
    perf stat -x, -o /tmp/stat -e $event -- "$@" && echo "$name $(grep ringside /tmp/stat | cut -d, -f1)"
}
beside_each_other() {
    for i in 1 2; do
        perf stat -x, -o /tmp/both.$i -e $event,context-switches -- counted_loop 30000000 &
    done
    wait
}

echo "counters $(cat $pmu/counters)"
count few counted_loop 1000000
count many counted_loop 3000000
ringside stat --csv -e $event -- counted_loop 3000000 2>&1 | grep instructions | sed 's/^/ringside_stat /'
soft_reads

before=$(cat $pmu/hypercalls)
beside_each_other
echo "hypercalls $(($(cat $pmu/hypercalls) - before))"
awk -F, '/context/ { sum += $1 } END { print "switches " sum }' /tmp/both.*
awk -F, '/ringside/ { print "beside " $1 }' /tmp/both.*

perf record -q -o /tmp/exact -c 100003 -e $event -- counted_loop 3000000
perf script -i /tmp/exact -F ip,sym >/tmp/script 2>/dev/null
echo "samples $(grep -c . /tmp/script)"
echo "samples_in_loop $(grep -c counted_loop /tmp/script)"
echo "delivered $(cat $pmu/samples/delivered)"
echo "lost $(cat $pmu/samples/lost)"

perf stat -e ringside_vpmu/event=0x99/ -- true 2>&1 | grep -q 'not supported' && echo "no_such_event refused"
perf stat -o /dev/null -e $event -- rmmod ringside_pmu 2>/dev/null
[ -e $pmu ] && echo "unload_while_used refused"
rmmod ringside_pmu && echo "unload done"
ls -d $pmu /dev/ringside_vpmu 2>/dev/null | sed 's/^/left_behind /'
grep ringside /proc/interrupts | sed 's/^/left_behind /'
insmod "$module"
count again counted_loop 3000000
dmesg | grep -B 4 -E 'WARNING: CPU|BUG:|Call Trace|Oops' | sed 's/^/complaint /'
echo "end reached"
