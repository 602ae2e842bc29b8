#!/bin/sh
# Runs on the host of a box while a command runs in its guest, and counts that guest's exits meanwhile.
touch /run/ringside/ready
until grep -q ^command /run/ringside/inner.status 2>/dev/null; do sleep 0.02; done
exec ringside kvm stat -a --json -o /run/exits.json -- sh -c \
    'until grep -q ^exit /run/ringside/inner.status; do sleep 0.02; done'
