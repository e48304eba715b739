/** Models that search by themselves at a price per search, and their maximum searches in an answer. */
const searching: { vendor: string; name: RegExp; searches: number }[] = [
  // docs.perplexity.ai/getting-started/models/models/sonar-deep-research: its example makes 18 to 30 searches.
  { vendor: "perplexity", name: /^sonar-deep-research$/, searches: 30 },
  { vendor: "openrouter", name: /^perplexity\/sonar-deep-research$/, searches: 30 },
  // ai.google.dev/gemini-api/docs/deep-research: a task makes about 80 queries, a comprehensive one 160.
  { vendor: "google", name: /^deep-research-max/, searches: 160 },
  { vendor: "google", name: /^deep-research/, searches: 80 },
]

/** Returns the maximum searches of a model by itself; undefined if it searches only with a tool. */
export function ownSearches(vendor: string, name: string): number | undefined {
  return searching.find((each) => each.vendor === vendor && each.name.test(name))?.searches
}
