import { type Dispute, LIST_NAMES } from "./consensus.ts"
import { mistakenRates } from "./services.ts"
import type { Facts } from "./shape.ts"

/** Returns the text of the page about prices that differ between the lists. */
export function disputesPage(facts: Facts, disputes: readonly Dispute[]): string {
  const rows = disputes.map(({ model, class: name, values, chosen, rule }) => {
    const said = LIST_NAMES.map((list) => values[list] ?? "")
    const published = mistakenRates.find((entry) => `${entry.vendor}/${entry.name}` === model)
    const corrected = published?.rates[name]
    const result =
      corrected === undefined ? [`**${chosen}**`, rule] : [`**${corrected}**`, "provider's page"]
    return `| ${[`\`${model}\``, `\`${name}\``, ...said, ...result].join(" | ")} |`
  })
  const sources = facts.generated_from.map(
    ({ name, package: source, date }) => `| ${name} | ${source} | ${date} |`,
  )
  return `# Price disputes between the lists

<!-- Written by scripts/build-facts.ts. Do not edit. -->

The known prices ([prices.md](prices.md)) of ${facts.date} come from three public lists:

| list | read from | of |
| --- | --- | --- |
${sources.join("\n")}

If at least two lists agree, their price is used. Otherwise the newest list is used for vendors that sell their own
models, and the highest price for resellers. For classes other than input and output, the highest price is used. If a
provider's own page has another price than the lists, its price is used. Prices are in US dollars per million units.
Models without disputes are not listed. If a price changes by the hour, the highest one is compared
([prices.md](prices.md#prices-that-change-over-time)).

| model | class | ${LIST_NAMES.join(" | ")} | chosen | by |
| --- | --- | ${LIST_NAMES.map(() => "---").join(" | ")} | --- | --- |
${rows.join("\n")}
`
}
