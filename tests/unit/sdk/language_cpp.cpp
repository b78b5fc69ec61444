#define LANGUAGE language_cpp
#define LANGUAGE_NAME "C++20"
#include "language.inc"
