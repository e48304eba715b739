/**
 * Functions are optimized after six times as many calls as normally. Tests and their gateways run for seconds, and
 * optimizing functions earlier would take a tenth of the processor time of tests, and a sixth of that of gateways.
 */
export const LATE_OPTIMIZATION: Readonly<Record<string, string>> = {
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "6000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "6000",
  BUN_JSC_thresholdForOptimizeSoon: "6000",
}
