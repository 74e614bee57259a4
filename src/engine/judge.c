/* ---- What samples say of the tree: an estimate and how far off it may be, or nothing. */

/* The samples' estimate. */
typedef struct combgpu__verdict {
    double mean, error; /* the standard error of the mean */
    double low, high;   /* 95 % interval */
    double squares;     /* the sum of squared deviations */
    double logs;        /* the same for the logarithms */
    int known;          /* 0: the samples cannot see the tree; ignore all above */
} combgpu__verdict;

/* What the samples' logarithms imply for a mean of `count`. */
typedef struct combgpu__tail {
    double spread, kurtosis; /* a sample's relative standard deviation and kurtosis */
    int known;
} combgpu__tail;

/* The factor by which the truth may be off either way, from relative standard error and degrees of
   freedom: about exp(x), since sums over trees are skewed like log-normal ones, plus a quarter,
   since a job's samples share its waiting tasks and the sizes learned. */
COMBGPU__PRIVATE double combgpu__reach(double relative, double freedom)
{
    double x = 1.25 * combgpu__student(freedom) * relative;
    return 1 + x + x * x / 2;
}

/* Judges the tail of samples by `off`, the standard deviation of their logarithms. A few large
   samples determine a tree's mean. If these are rare, many samples miss them, and then agree with
   each other but not with the truth. Their logarithms still spread, which gives the spread and
   kurtosis of log-normal samples. The kurtosis of `count` samples is at most `count`: if it should
   be more than 8 times as large, they missed what counts, and nothing is known; nor is it from
   fewer than 6 distinct samples, which may agree by chance. */
COMBGPU__PRIVATE combgpu__tail combgpu__judge_tail(double off, double count)
{
    combgpu__tail tail;
    const double w = combgpu__exp(off < 10 ? off * off : 100);
    tail.spread = combgpu__sqrt(w - 1);
    tail.kurtosis = w * w * (w * w + 2 * w + 3) - 3;
    tail.known = tail.kurtosis - 1 <= 8 * count && (count >= 6 || off < 1e-3);
    return tail;
}

/* Judges samples. Heavy tails have fewer degrees of freedom, by the fourth moment: one outlier
   leaves the spread itself hardly known. */
COMBGPU__PRIVATE combgpu__verdict combgpu__judge(const double *values, int count)
{
    combgpu__verdict verdict;
    combgpu__tail tail;
    double fourth = 0, freedom = count - 1, reach, middle = 0, relative, tailed;
    int i;
    memset(&verdict, 0, sizeof verdict);
    for (i = 0; i < count; i++) {
        verdict.mean += values[i] / count;
        middle += combgpu__ln(values[i] + 1) / count;
    }
    for (i = 0; i < count; i++) {
        double off = (values[i] - verdict.mean) * (values[i] - verdict.mean);
        double part = combgpu__ln(values[i] + 1) - middle;
        verdict.squares += off;
        verdict.logs += part * part;
        fourth += off * off;
    }
    if (count > 1) verdict.error = combgpu__sqrt(verdict.squares / (count - 1.0) / count);
    if (fourth > 0) {
        double kurtosis = count * fourth / (verdict.squares * verdict.squares);
        if (2.0 * count / (kurtosis - 1) < freedom) freedom = 2.0 * count / (kurtosis - 1);
    }
    tailed = count > 1 ? combgpu__sqrt(verdict.logs / (count - 1.0)) : 0;
    tailed += tailed * tailed; /* trees are slightly worse than log-normal: no3/NOTES.md */
    tail = combgpu__judge_tail(tailed, count);
    verdict.known = tail.known;
    if (2.0 * count < freedom * (tail.kurtosis - 1)) freedom = 2.0 * count / (tail.kurtosis - 1);
    relative = verdict.mean > 0 ? verdict.error / verdict.mean : 0;
    if (count > 1 && relative < tail.spread / combgpu__sqrt(count) && verdict.mean > 0)
        relative = tail.spread / combgpu__sqrt(count);
    reach = combgpu__reach(relative * (1 + tailed), freedom);
    verdict.low = verdict.mean / reach;
    verdict.high = verdict.mean * reach;
    return verdict;
}
