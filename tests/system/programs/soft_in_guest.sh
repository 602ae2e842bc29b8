#!/bin/sh
# What softpmu_test asks of the soft PMU inside a guest; says "NAME VALUE" a line, and ends in a panic.
pmu=/sys/bus/event_source/devices/ringside_soft
event=ringside_soft/instructions/u
module=/lib/modules/$(uname -r)/ringside_pmu.ko

count() {
    name=$1
    shift
    perf stat -x, -o /tmp/stat -e $event -- "$@" && echo "$name $(grep ringside /tmp/stat | cut -d, -f1)"
}
complaints() { dmesg | grep -B 4 -E 'WARNING: CPU|BUG:|Call Trace|Oops'; }

count few counted_loop 1000000
count many counted_loop 3000000
ringside stat --csv -e $event -- counted_loop 3000000 2>&1 | grep instructions | sed 's/^/ringside_stat /'
soft_reads
perf stat -a -A -x, -o /tmp/stat -e $event -- taskset 2 counted_loop 30000000
grep ringside /tmp/stat | cut -d, -f1,2 | tr , ' '

perf record -q -o /tmp/exact -c 10007 -e $event -- counted_loop 3000000
perf script -i /tmp/exact -F ip,sym >/tmp/script 2>/dev/null
echo "samples $(grep -c . /tmp/script)"
echo "samples_in_loop $(grep -c counted_loop /tmp/script)"
echo "delivered $(cat $pmu/samples/delivered)"
echo "lost $(cat $pmu/samples/lost)"
perf record -q -g -F 200 -a -o /tmp/all -e ringside_soft/instructions/ -e ringside_soft/branches/ -- \
    counted_loop 3000000
echo "events_sampled $(perf script -i /tmp/all -F event 2>/dev/null | grep -o 'ringside_soft/[a-z]*' | sort -u | wc -l)"
ringside record -o /tmp/own -c 10007 -e $event -- counted_loop 3000000 2>&1 | grep samples | sed 's/^/ringside_record /'

perf record -o /tmp/refused -c 10 -e $event -- true >/dev/null 2>&1 || echo "short_period refused"
perf stat -e ringside_soft/event=99/ -- true 2>&1 | grep -q 'not supported' && echo "no_such_event refused"
perf stat -o /dev/null -e $event -- rmmod ringside_pmu 2>/dev/null
[ -e $pmu ] && echo "unload_while_used refused"

echo "tainted $(cat /proc/sys/kernel/tainted)"
rmmod ringside_pmu && echo "unload done"
ls -d $pmu /dev/ringside_soft 2>/dev/null | sed 's/^/left_behind /'
grep ringside_soft /proc/interrupts | sed 's/^/left_behind /'
insmod $module
count again counted_loop 3000000

# The device leaves while events count, take turns and sample, and a program reads its page.
device=$(dirname $(grep -l 0x1110 /sys/bus/pci/devices/*/device))
perf stat -a -o /dev/null -e $event -e $event -- sh -c 'echo $$ >/tmp/counting; exec sleep 1000' &
beside=$!
perf record -q -o /tmp/cut_off -c 10007 -e $event -- \
    sh -c 'counted_loop 1000000; echo $$ >/tmp/sampling; exec counted_loop 100000000000' &
sampled=$!
soft_reads --for-ever >/tmp/reading &
reader=$!
until [ -s /tmp/counting ] && [ -s /tmp/sampling ] && [ -s /tmp/reading ]; do sleep 0.1; done
count removed sh -c "counted_loop 1000000; echo 1 >$device/remove; counted_loop 1000000 && echo 'forks yes'"
kill $reader
wait $reader
echo "reader_ended $?"
[ -e /dev/ringside_soft ] || echo "removed_file gone"
perf stat -e $event -- true >/dev/null 2>&1 || echo "event_of_no_device refused"
rmmod ringside_pmu 2>/dev/null || echo "unload_with_old_events refused"
echo 1 >/sys/bus/pci/rescan
[ -e /dev/ringside_soft ] || echo "device_beside_old_events refused"
kill $(cat /tmp/counting) $(cat /tmp/sampling)
wait $beside $sampled
echo "cut_off_samples $(perf script -i /tmp/cut_off -F ip 2>/dev/null | grep -c .)"
rmmod ringside_pmu && insmod $module
count replaced counted_loop 3000000
rmmod ringside_pmu

for device in /sys/bus/pci/devices/*; do
    [ "$(cat $device/device)" = 0x1110 ] || continue
    echo 1 >$device/enable
    soft_forge $device/resource2
done
insmod $module
[ -e $pmu ] || echo "forged_page no_pmu"
complaints | sed 's/^/complaint /'
echo "end reached"
sleep 0.5
echo c >/proc/sysrq-trigger
