// Accesses to devices for a guest (device.h). A fault in here is not ours: vectors.S resumes at
// device_access_aborted then. Leaf functions without a stack, so that it can.
.text
.global device_accesses_begin
device_accesses_begin:
.global load_from_device
load_from_device:
    cmp w1, #2
    b.lo 1f
    b.eq 2f
    cmp w1, #4
    b.eq 4f
    ldr x3, [x0]
    b 0f
1:  ldrb w3, [x0]
    b 0f
2:  ldrh w3, [x0]
    b 0f
4:  ldr w3, [x0]
0:  dsb sy                      // until the device has answered
    str x3, [x2]
    mov w0, #1
    ret
.global store_to_device
store_to_device:
    cmp w1, #2
    b.lo 1f
    b.eq 2f
    cmp w1, #4
    b.eq 4f
    str x2, [x0]
    b 0f
1:  strb w2, [x0]
    b 0f
2:  strh w2, [x0]
    b 0f
4:  str w2, [x0]
0:  dsb sy
    mov w0, #1
    ret
.global device_accesses_end
device_accesses_end:
.global device_access_aborted
device_access_aborted:
    mov w0, #0
    ret

.global spend
spend:
    subs x0, x0, #2
    b.hi spend
    ret
