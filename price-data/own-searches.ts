/** Models that search without a tool and have a price per search, with the maximum number of searches per response. */
const searching: { vendor: string; name: RegExp; searches: number }[] = [
  // docs.perplexity.ai/getting-started/models/models/sonar-deep-research: the example makes 18 to 30 searches.
  { vendor: "perplexity", name: /^sonar-deep-research$/, searches: 30 },
  { vendor: "openrouter", name: /^perplexity\/sonar-deep-research$/, searches: 30 },
  // ai.google.dev/gemini-api/docs/deep-research: a task makes about 80 queries, a comprehensive task about 160.
  { vendor: "google", name: /^deep-research-max/, searches: 160 },
  { vendor: "google", name: /^deep-research/, searches: 80 },
]

/**
 * Returns the maximum number of searches that a model makes without a tool; undefined if it searches only with a tool.
 */
export function ownSearches(vendor: string, name: string): number | undefined {
  return searching.find((each) => each.vendor === vendor && each.name.test(name))?.searches
}
