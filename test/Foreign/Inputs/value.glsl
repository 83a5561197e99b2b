uint value() {
#ifdef VALUE
    return VALUE;
#else
    return 5;
#endif
}
