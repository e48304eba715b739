import { join } from "node:path"
import { parseArgs } from "node:util"
import { assembleFacts } from "../price-data/assemble.ts"
import type { Dispute, ListName } from "../price-data/consensus.ts"
import { disputesPage } from "../price-data/disputes-page.ts"
import { genaiPricesSchema } from "../price-data/genai-prices.ts"
import { liteLlmSchema } from "../price-data/litellm.ts"
import { modelsDevSchema } from "../price-data/models-dev.ts"
import type { Notes } from "../price-data/notes.ts"
import { downloadLists, type PublishedList } from "../price-data/packages.ts"
import { renderFacts } from "../price-data/render.ts"
import type { Facts, Kind } from "../price-data/shape.ts"
import { vendors } from "../src/vendors/index.ts"

const usage = `usage: npm run facts -- [options]

Builds the facts of known models from models.dev, genai-prices and LiteLLM's list, as the newest packages on npm
and PyPI have them (it needs npm, pip and python3), and the page of differences between the lists.

  --date DATE                 prices of this day (default: today)
  --lists FILE                read the lists from this file instead of downloading them
  --save-lists FILE           write them to this file
  --out FILE                  default src/catalog/facts.json
  --page FILE                 default docs/contribute/price-disputes.md
  --verbose                   list dropped and added models
`

/**
 * Builds the known models and prices of a day from the published lists.
 * @throws ZodError if a list does not have the expected form.
 */
export function buildFacts(
  lists: readonly PublishedList[],
  date: string,
): { facts: Facts; notes: Notes; disputes: Dispute[] } {
  const listOf = (name: ListName): PublishedList => {
    const list = lists.find((each) => each.name === name)
    if (list === undefined) throw new Error(`there is no list ${name}`)
    return list
  }
  const [modelsDev, genaiPrices, liteLlm] = [
    listOf("models.dev"),
    listOf("genai-prices"),
    listOf("LiteLLM"),
  ]
  const sources = {
    modelsDev: modelsDevSchema.parse(modelsDev.content),
    genaiPrices: genaiPricesSchema.parse(genaiPrices.content),
    liteLlm: liteLlmSchema.parse(liteLlm.content),
    date,
    isServed,
    dates: {
      "models.dev": modelsDev.date,
      "genai-prices": genaiPrices.date,
      LiteLLM: liteLlm.date,
    },
  }
  const generatedFrom = lists.map((list) => ({
    name: list.name,
    package: list.package,
    date: list.date,
  }))
  return assembleFacts(sources, generatedFrom)
}

function isServed(id: string, kind: Kind): boolean {
  const vendor = vendors.get(id)
  if (vendor === undefined) return false
  return kind === "chat" ? vendor.chat.length > 0 : vendor.operations?.[kind] !== undefined
}

async function main(): Promise<number> {
  const text = { type: "string" } as const
  const { values } = parseArgs({
    options: {
      date: text,
      lists: text,
      "save-lists": text,
      out: text,
      page: text,
      verbose: { type: "boolean" },
      help: { type: "boolean" },
    },
  })
  if (values.help === true) {
    console.log(usage)
    return 0
  }
  const date = values.date ?? new Date().toISOString().slice(0, "YYYY-MM-DD".length)
  const lists = await readLists(values.lists, date)
  if (values["save-lists"] !== undefined) {
    await Bun.write(values["save-lists"], JSON.stringify(lists))
  }
  const { facts, notes, disputes } = buildFacts(lists, date)
  const root = join(import.meta.dir, "..")
  const out = values.out ?? join(root, "src/catalog/facts.json")
  const rendered = renderFacts(facts)
  await Bun.write(out, rendered)
  await Bun.write(
    values.page ?? join(root, "docs/contribute/price-disputes.md"),
    disputesPage(facts, disputes),
  )
  const models = Object.values(facts.vendors).flatMap((each) => Object.values(each))
  const priced = models.filter((model) => model.price !== undefined).length
  console.error(notes.report(values.verbose === true))
  console.error(`disputes: ${disputes.length}`)
  console.error(`${out}: ${models.length} models, ${priced} priced, ${rendered.length} bytes`)
  return 0
}

async function readLists(path: string | undefined, date: string): Promise<PublishedList[]> {
  if (path === undefined) return downloadLists(date)
  // This script wrote the file, so the form is known.
  return (await Bun.file(path).json()) as PublishedList[]
}

if (import.meta.main) process.exitCode = await main()
