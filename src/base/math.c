/* Mathematical functions. Programs need no -lm, and distances are equal with every C library. */

/* The largest integer <= x. From 2^52 on every double is an integer. */
COMBGPU__PRIVATE double combgpu__floor(double x)
{
    double whole;
    if (!(x > -4503599627370496.0 && x < 4503599627370496.0)) return x;
    whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

COMBGPU__PRIVATE double combgpu__ceil(double x)
{
    return -combgpu__floor(-x);
}

/* Square root, correctly rounded, by the processor's instruction or in whole numbers: computes 54
   bits one by one; the last one rounds (a double's root is never halfway). Infinity and NaN stay; x
   < 0 gives 0. */
COMBGPU__PRIVATE double combgpu__sqrt(double x)
{
#if defined(COMBGPU__SSE2)
    return x < 0 ? 0 : _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)));
#elif defined(COMBGPU__NEON)
    return x < 0 ? 0 : vget_lane_f64(vsqrt_f64(vdup_n_f64(x)), 0);
#else
    uint64_t number, root = 0, rest = 0;
    int exponent, bit;
    double fraction;
    if (!(x > 0) || x > 1.7976931348623157e308) return x < 0 ? 0 : x;
    fraction = frexp(x, &exponent);
    if (exponent % 2) {
        fraction /= 2;
        exponent++;
    }
    number = (uint64_t)(fraction * 18014398509481984.0); /* 2^52 <= number < 2^54, exact */
    for (bit = 52; bit >= -54; bit -= 2) {               /* the root of number * 2^54 */
        rest = rest << 2 | (bit >= 0 ? number >> bit & 3 : 0);
        root <<= 1;
        if (rest > 2 * root) {
            rest -= 2 * root + 1;
            root++;
        }
    }
    return ldexp((double)((root >> 1) + (root & 1)), exponent / 2 - 53);
#endif
}

/* Sine and cosine of |x| < 1e6, to about the last bit. Subtracts a multiple of pi/2 in two parts,
   the first short enough for an exact product; then Taylor's series for at most pi/4. */
COMBGPU__PRIVATE void combgpu__sine_cosine(double x, double *sine, double *cosine)
{
    double turns = combgpu__floor(x * 0.63661977236758134308 + 0.5);
    double angle = (x - turns * 1.57079632673412561417) - turns * 6.07710050650619224932e-11;
    double square = angle * angle, s = 0, c = 0;
    int k;
    if (!(turns > -1000 && turns < 1000)) turns = angle = square = 0; /* out of the domain */
    for (k = 22; k > 1; k -= 2) {
        s = square / (k * (k + 1)) * (1 - s);
        c = square / (k * (k - 1)) * (1 - c);
    }
    s = angle - angle * s;
    c = 1 - c;
    k = (int)(turns - 4 * combgpu__floor(turns / 4)); /* in range even for an invalid angle */
    *sine = k == 0 ? s : k == 1 ? c : k == 2 ? -s : -c;
    *cosine = k == 0 ? c : k == 1 ? -s : k == 2 ? -c : s;
}

COMBGPU__PRIVATE double combgpu__sin(double x)
{
    double sine, cosine;
    combgpu__sine_cosine(x, &sine, &cosine);
    return sine;
}

COMBGPU__PRIVATE double combgpu__cos(double x)
{
    double sine, cosine;
    combgpu__sine_cosine(x, &sine, &cosine);
    return cosine;
}

/* Arc sine of |x| <= 1: the series up to 1/2, the half-angle formula above. */
COMBGPU__PRIVATE double combgpu__arc_sine(double x)
{
    double size = x < 0 ? -x : x;
    double z = size > 0.5 ? combgpu__sqrt((1 - size) / 2) : size, s = 0;
    int k;
    for (k = 28; k > 0; k--)
        s = z * z * ((2 * k - 1) * (2 * k - 1)) / (2 * k * (2 * k + 1)) * (1 + s);
    z += z * s;
    if (size > 0.5) z = 1.57079632679489661923 - 2 * z;
    return x < 0 ? -z : z;
}

/* Arc cosine of |x| <= 1; half-angle formula where the arc sine is near pi/2. */
COMBGPU__PRIVATE double combgpu__arc_cosine(double x)
{
    if (x > 0.5) return 2 * combgpu__arc_sine(combgpu__sqrt((1 - x) / 2));
    return 1.57079632679489661923 - combgpu__arc_sine(x);
}

/* e to the power of x, to about the last bits; x is at most 300. */
COMBGPU__PRIVATE double combgpu__exp(double x)
{
    const double part = x / 1024;
    double power = 1 + part * (1 + part / 2 * (1 + part / 3 * (1 + part / 4)));
    int i;
    for (i = 0; i < 10; i++)
        power *= power;
    return power;
}

/* The natural logarithm of x > 0: of its exponent, and by the series of z = (m - 1) / (m + 1) for a
   mantissa m from 1/2 to 1. */
COMBGPU__PRIVATE double combgpu__ln(double x)
{
    int exponent, k;
    const double mantissa = frexp(x, &exponent), z = (mantissa - 1) / (mantissa + 1);
    double sum = 0;
    for (k = 41; k > 0; k -= 2)
        sum = sum * z * z + 2.0 / k;
    return sum * z + 0.69314718055994530942 * exponent;
}

/* The 97.5 % quantile of Student's t (E. A. Cornish, R. A. Fisher 1938), for at least 2 degrees of
   freedom. */
COMBGPU__PRIVATE double combgpu__student(double freedom)
{
    double part = 1 / (freedom > 2 ? freedom : 2);
    return 1.96 + part * (2.372 + part * (2.823 + part * 2.556));
}
