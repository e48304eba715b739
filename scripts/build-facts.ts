import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { assembleFacts } from "./facts/assemble.ts"
import { genaiPricesSchema } from "./facts/genai-prices.ts"
import { modelsDevSchema } from "./facts/models-dev.ts"
import type { Notes } from "./facts/notes.ts"
import { renderFacts } from "./facts/render.ts"
import type { Facts } from "./facts/shape.ts"

/** The days that the committed facts.json was made for; newer data needs newer days. */
export const shipped = {
  modelsDevDate: "2026-07-02",
  genaiPricesDate: "2026-08-21",
  /** Prices that change on a known date are those active on this date. */
  date: "2026-11-20",
}

const usage = `usage: npm run facts -- --models-dev FILE --genai-prices FILE [options]

Builds the facts of known models from models.dev and genai-prices.

  --models-dev FILE           providers and base models of models.dev, assembled to JSON
  --genai-prices FILE         prices/data.json of genai-prices
  --models-dev-date DATE      day of that data (default: the day in the file's name,
                              else ${shipped.modelsDevDate})
  --genai-prices-date DATE    likewise (else ${shipped.genaiPricesDate})
  --date DATE                 prices of this day (default ${shipped.date})
  --out FILE                  default src/catalog/facts.json
  --verbose                   list what was left out, added, or differs between the sources
`

/** The sources, and the date of the prices. */
export interface BuildOptions {
  modelsDev: string
  genaiPrices: string
  modelsDevDate: string
  genaiPricesDate: string
  date: string
}

/**
 * Reads both sources and generates the text of facts.json.
 * @throws ZodError when a source does not have the expected form.
 */
export async function buildFacts(
  options: BuildOptions,
): Promise<{ facts: Facts; text: string; notes: Notes }> {
  const sources = {
    modelsDev: modelsDevSchema.parse(await Bun.file(options.modelsDev).json()),
    genaiPrices: genaiPricesSchema.parse(await Bun.file(options.genaiPrices).json()),
    date: options.date,
  }
  const { facts, notes } = assembleFacts(sources, [
    { name: "models.dev", date: options.modelsDevDate },
    { name: "genai-prices", date: options.genaiPricesDate },
  ])
  return { facts, text: renderFacts(facts), notes }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "models-dev": { type: "string" },
      "genai-prices": { type: "string" },
      "models-dev-date": { type: "string" },
      "genai-prices-date": { type: "string" },
      date: { type: "string" },
      out: { type: "string" },
      verbose: { type: "boolean" },
      help: { type: "boolean" },
    },
  })
  if (values.help === true) {
    console.log(usage)
    return 0
  }
  const modelsDev = values["models-dev"]
  const genaiPrices = values["genai-prices"]
  if (modelsDev === undefined || genaiPrices === undefined) {
    console.error(usage)
    return 2
  }
  const { facts, text, notes } = await buildFacts({
    modelsDev,
    genaiPrices,
    modelsDevDate: values["models-dev-date"] ?? dateIn(modelsDev) ?? shipped.modelsDevDate,
    genaiPricesDate: values["genai-prices-date"] ?? dateIn(genaiPrices) ?? shipped.genaiPricesDate,
    date: values.date ?? shipped.date,
  })
  const out = values.out ?? join(import.meta.dir, "../src/catalog/facts.json")
  await Bun.write(out, text)
  const models = Object.values(facts.vendors).flatMap((each) => Object.values(each))
  const priced = models.filter((model) => model.price !== undefined).length
  console.error(notes.report(values.verbose === true))
  console.error(`${out}: ${models.length} models, ${priced} priced, ${text.length} bytes`)
  return 0
}

function dateIn(path: string): string | undefined {
  return /\d{4}-\d{2}-\d{2}/.exec(basename(path))?.[0]
}

if (import.meta.main) process.exitCode = await main()
