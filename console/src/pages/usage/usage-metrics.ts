import type { UsageRow } from "tollgate-contract/usage.ts"
import { creditsTick } from "../../format/axis-ticks.ts"
import { creditsText, roughCredits } from "../../format/credits.ts"
import { marginOf } from "../../format/margin.ts"
import { countText, durationText, shareText, shortCount } from "../../format/numbers.ts"
import { t } from "../../languages/text.ts"

/** A metric of the usage page. */
export interface UsageMetric {
  readonly value: string
  readonly label: string
  /** The sum that determines the largest groups. */
  readonly order: "cost" | "requests" | "tokens" | "errors"
  /** Whether the metric is a duration. The query must request durations explicitly. */
  readonly isTime: boolean
  /** Whether values add up across groups and moments. Other metrics are shown as lines. */
  readonly isSum: boolean
  /** Set if only operators may see the metric. */
  readonly isOperators?: true
  /** Returns the approximate value for the heights of charts; null means unknown. */
  readonly rough: (row: UsageRow) => number | null
  /** Returns the exact value, if the metric is an amount of credits. */
  readonly amount?: (row: UsageRow) => string
  /** Formats the exact value. */
  readonly text: (row: UsageRow) => string
  /** Formats a value of the axis. */
  readonly axis: (value: number) => string
}

const NOTHING = "–"

function time(
  value: string,
  label: string,
  of: (times: NonNullable<UsageRow["times"]>) => number | null,
  words: (value: number) => string = durationText,
): UsageMetric {
  const rough = ({ times }: UsageRow): number | null => (times ? of(times) : null)
  return {
    value,
    label,
    order: "requests",
    isTime: true,
    isSum: false,
    rough,
    axis: words,
    text: (row) => {
      const found = rough(row)
      return found === null ? NOTHING : words(found)
    },
  }
}

/**
 * Returns a metric that is the ratio of two values.
 * @param of returns both values of a row.
 */
function ratio(
  value: string,
  label: string,
  of: (row: UsageRow) => readonly [number, number],
  words: (value: number) => string,
): UsageMetric {
  const rough = (row: UsageRow): number | null => {
    const [part, whole] = of(row)
    return whole === 0 ? null : part / whole
  }
  return {
    value,
    label,
    order: value === "failed_share" ? "errors" : "cost",
    isTime: false,
    isSum: false,
    rough,
    axis: words,
    text: (row) => {
      const found = rough(row)
      return found === null ? NOTHING : words(found)
    },
  }
}

export const METRICS: readonly UsageMetric[] = [
  {
    value: "cost",
    label: t("Spend"),
    order: "cost",
    isTime: false,
    isSum: true,
    rough: ({ cost }) => roughCredits(cost),
    axis: creditsTick,
    amount: ({ cost }) => cost,
    text: ({ cost }) => creditsText(cost),
  },
  {
    value: "requests",
    label: t("Requests"),
    order: "requests",
    isTime: false,
    isSum: true,
    rough: ({ requests }) => requests,
    axis: shortCount,
    text: ({ requests }) => countText(requests),
  },
  {
    value: "tokens",
    label: t("Tokens"),
    order: "tokens",
    isTime: false,
    isSum: true,
    rough: ({ input, output }) => input + output,
    axis: shortCount,
    text: ({ input, output }) => countText(input + output),
  },
  {
    value: "errors",
    label: t("Failed"),
    order: "errors",
    isTime: false,
    isSum: true,
    rough: ({ errors }) => errors,
    axis: shortCount,
    text: ({ errors }) => countText(errors),
  },
  ratio(
    "failed_share",
    t("Failed, share"),
    ({ errors, requests }) => [errors, requests],
    shareText,
  ),
  ratio(
    "cost_each",
    t("Spend per request"),
    ({ cost, requests }) => [roughCredits(cost), requests],
    creditsTick,
  ),
  ratio(
    "tokens_each",
    t("Tokens per request"),
    ({ input, output, requests }) => [input + output, requests],
    (value) => countText(Math.round(value)),
  ),
  time("p50", t("Duration, median"), ({ p50_duration_ms: value }) => value),
  time("p95", t("Duration, p95"), ({ p95_duration_ms: value }) => value),
  time("first", t("First byte, median"), ({ p50_first_byte_ms: value }) => value),
  time("first95", t("First byte, p95"), ({ p95_first_byte_ms: value }) => value),
  time("speed", t("Tokens per second"), ({ tokens_per_second: value }) => value, countText),
  {
    value: "provider_cost",
    label: t("Vendor cost"),
    order: "cost",
    isTime: false,
    isSum: true,
    isOperators: true,
    rough: ({ provider_cost }) => roughCredits(provider_cost ?? "0"),
    axis: creditsTick,
    amount: ({ provider_cost }) => provider_cost ?? "0",
    text: ({ provider_cost }) => creditsText(provider_cost ?? "0"),
  },
  {
    value: "written_off",
    label: t("Written off"),
    order: "cost",
    isTime: false,
    isSum: true,
    isOperators: true,
    rough: ({ written_off }) => roughCredits(written_off ?? "0"),
    axis: creditsTick,
    amount: ({ written_off }) => written_off ?? "0",
    text: ({ written_off }) => creditsText(written_off ?? "0"),
  },
  {
    value: "margin",
    label: t("Margin"),
    order: "cost",
    isTime: false,
    isSum: true,
    isOperators: true,
    rough: (row) => Math.max(0, roughCredits(marginOf(row) ?? "0")),
    axis: creditsTick,
    amount: (row) => marginOf(row) ?? "0",
    text: (row) => creditsText(marginOf(row) ?? "0"),
  },
]

/** Returns the metric named in the URL, if the user may see it. */
export function metricOf(name: string | undefined, isOperator: boolean): UsageMetric {
  const found = METRICS.find(({ value }) => value === name)
  const [first] = METRICS
  if (first === undefined) throw new Error("there is no metric")
  return found && (isOperator || !found.isOperators) ? found : first
}
