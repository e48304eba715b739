/**
 * The names by which requests are summed, in the order of the columns of sums. Each sum has one name of each kind. The
 * empty name stands for requests without a name.
 */
export const SUM_NAMES = [
  "account",
  "key",
  "model",
  "provider",
  "outcome",
  "endpoint",
  "price_group",
] as const
export type SumName = (typeof SUM_NAMES)[number]

/** The names with one value in a filter. Accounts have a separate condition, because callers may see several. */
export const FILTER_NAMES = SUM_NAMES.filter((name) => name !== "account")
export type FilterName = Exclude<SumName, "account">

/** A filter by names. */
export type NameFilter = Readonly<Partial<Record<FilterName, string | undefined>>>

/** The names by which requests are listed, in addition to keys and models. No index contains them. */
export const UNINDEXED_NAMES = ["provider", "endpoint", "price_group"] as const
export type UnindexedName = (typeof UNINDEXED_NAMES)[number]
