/* To whom a member of a group passes its membership on. Plain C, because both compilers read it. */
#ifndef RINGSIDE_BPF_FOLLOW_LAYOUT_H
#define RINGSIDE_BPF_FOLLOW_LAYOUT_H

enum follow {
    FOLLOW_NONE = 0,
    FOLLOW_THREADS = 1,
    FOLLOW_CHILDREN = 2,
};

#endif
