/* The library that needy.so wants; tests run without it. */
int assay_test_absent(void);
int assay_test_absent(void) { return 0; }
