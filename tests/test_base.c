/* Tests the base: numbers read from text, and mathematical functions in plain C. */
#define TEST_OWN_IMPLEMENTATION /* without the processor's square root */
#define COMBGPU_NO_SIMD 1
#define COMBGPU_ONLY_NO3 1
#include "test.h"

/* Reads a number; *rest: the characters left. */
static int reads(const char *text, unsigned base, uint64_t *value, size_t *rest)
{
    combgpu__reader reader;
    int found;
    reader.at = text;
    reader.end = text + strlen(text);
    reader.line = 1;
    found = combgpu__read_number(&reader, base, value);
    *rest = (size_t)(reader.end - reader.at);
    return found;
}

static void test_numbers(void)
{
    static const char *const none[] = {"", "x1", "a", "-1", " 1"};
    uint64_t value;
    size_t rest, i, wrong = 0;
    ok(reads("18446744073709551615,", 10, &value, &rest) && value == UINT64_MAX && rest == 1,
       "the largest decimal number is read");
    ok(!reads("18446744073709551616", 10, &value, &rest) &&
           !reads("99999999999999999999", 10, &value, &rest),
       "a larger one is refused");
    ok(reads("ffffffffffffffff ", 16, &value, &rest) && value == UINT64_MAX && rest == 1 &&
           !reads("10000000000000000", 16, &value, &rest),
       "the same with hexadecimal numbers");
    ok(reads("19afg", 16, &value, &rest) && value == 0x19af && rest == 1 &&
           reads("19afg", 10, &value, &rest) && value == 19 && rest == 3,
       "a number ends at the first character that is not a digit of its base");
    for (i = 0; i < sizeof none / sizeof none[0]; i++)
        wrong += reads(none[i], 10, &value, &rest) || rest != strlen(none[i]);
    equal_u64(wrong, 0, "a text that begins without a digit is not a number");
}

/* Is root the double next to the root of x? Then |x - root^2| is less than its last bit times root;
   the difference is exact, for root is split into halves of 26 bits. */
static int is_root(double root, double x)
{
    double high = 134217729.0 * root, low, rest;
    int exponent;
    (void)frexp(root, &exponent);
    high -= high - root;
    low = root - high;
    rest = ((x - high * high) - 2 * high * low) - low * low;
    return fabs(rest) <= ldexp(root, exponent - 53);
}

static void test_roots(void)
{
    int i, wrong = 0;
    for (i = 1; i < 20000; i++) {
        double x = ldexp((double)(random_u64() >> 11), random_below(1600) - 900), whole = i;
        wrong += !is_root(combgpu__sqrt(x), x) || !is_root(combgpu__sqrt(whole), whole) ||
                 combgpu__sqrt(whole * whole) != whole || combgpu__sqrt(-whole) != 0;
    }
    equal_u64(wrong, 0, "square roots in whole numbers are correctly rounded");
    ok(combgpu__sqrt(HUGE_VAL) == HUGE_VAL && combgpu__sqrt(0) == 0, "the roots of infinity and 0");
}

/* Programs link without -lm: no function of the C library is there to compare with. */
static int differs(double a, double b)
{
    return !(fabs(a - b) < 4e-15);
}

static void test_angles(void)
{
    int i, k, wrong = 0, wrong_angle = 0;
    for (i = -1000; i <= 1000; i++) {
        double x = i / 1000.0, y = random_below(20000) / 1000.0 - 10, sine = 0, term = x;
        for (k = 1; k < 24; k += 2) { /* the series */
            sine += term;
            term *= -x * x / ((k + 1) * (k + 2));
        }
        wrong_angle += differs(combgpu__sin(x), sine) ||
                       differs(combgpu__sin(x + y), combgpu__sin(x) * combgpu__cos(y) +
                                                        combgpu__cos(x) * combgpu__sin(y)) ||
                       differs(combgpu__cos(x + y), combgpu__cos(x) * combgpu__cos(y) -
                                                        combgpu__sin(x) * combgpu__sin(y));
        wrong += differs(combgpu__arc_sine(sine), x) ||
                 differs(combgpu__arc_cosine(combgpu__cos(1.5 + x)), 1.5 + x);
    }
    equal_u64(wrong_angle, 0, "sines and cosines: the series, and sums of angles");
    equal_u64(wrong, 0, "arc sines and cosines give the angle back");
    ok(!differs(combgpu__arc_sine(-1), -1.57079632679489661923) &&
           !differs(combgpu__arc_sine(-0.5), -0.52359877559829887308) &&
           !differs(combgpu__arc_cosine(-1), 3.14159265358979323846),
       "known angles");
}

int main(void)
{
    test_numbers();
    test_roots();
    test_angles();
    return tap_end();
}
