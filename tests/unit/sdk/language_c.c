#define LANGUAGE language_c
#define LANGUAGE_NAME "C11"
#include "language.inc"
