import { raiseWithInput } from "./cache-prices.ts"
import { asFactor } from "./modes.ts"
import { factorOf, type Fraction, makerOf, resellers, scaled } from "./passed-on.ts"
import {
  type Facts,
  mapModes,
  type ModelFacts,
  type Price,
  type PriceClass,
  type PricePeriod,
  type Rates,
  ratesOf,
} from "./shape.ts"

/** Prices that change with the time of day or on an announced date. No list contains them completely. */
interface Schedule {
  readonly vendors: readonly string[]
  readonly name: RegExp
  /** Whether vendors that sell the model at this price also change theirs. */
  readonly resold?: true
  /** Listed values to which the schedule applies. A price with other values is newer and stays unchanged. */
  readonly listed: readonly Rates[]
  /** Prices that replace the values of the lists. */
  readonly own?: Price
  readonly periods: PricePeriod[]
}

/**
 * api-docs.deepseek.com/quick_start/pricing: off-peak rates are half of the peak rates. Since 2026-08-23, peak hours
 * are 01:00 to 04:00 and 06:00 to 10:00 UTC, Monday to Friday. The Chinese page gives them in Beijing time. Chinese
 * public holidays are off-peak too, but they are charged like other days, because they follow no rule.
 */
const beijingPeak = {
  name: "peak",
  zone: "Asia/Shanghai",
  days: ["mon", "tue", "wed", "thu", "fri"],
  hours: ["09:00-12:00", "14:00-18:00"],
}

/**
 * Highest surcharge of a reseller on the maker's price, in percent: Requesty's models in a region cost 10 or 20 % more.
 */
const MAX_SURCHARGE_PERCENT = 25n

/**
 * Returns the schedule of one of Google's introductory prices. Resellers pass Google's price on
 * (openrouter.ai/docs/faq: "passes through the pricing of the underlying providers").
 * @param from the first day of the later price.
 */
function introductoryPrice(
  name: RegExp,
  from: string,
  { listed, later }: { readonly listed: Rates; readonly later: Rates },
): Schedule {
  const periods = [{ name: "after the introductory price", from, ...later }]
  return { vendors: ["google", "vertex"], name, listed: [listed], periods, resold: true }
}

const schedules: readonly Schedule[] = [
  {
    vendors: ["deepseek"],
    name: /^deepseek-flash$/,
    listed: [
      { input: "0.3", output: "1.2" },
      { input: "0.15", output: "0.6" },
    ],
    own: { input: "0.15", cached_input: "0.003", output: "0.6" },
    periods: [{ ...beijingPeak, input: "0.3", cached_input: "0.006", output: "1.2" }],
  },
  {
    vendors: ["deepseek"],
    name: /^deepseek-v4-pro$/,
    listed: [
      { input: "1.32", output: "3.96" },
      { input: "0.66", output: "1.98" },
    ],
    own: { input: "0.66", cached_input: "0.022", output: "1.98" },
    periods: [{ ...beijingPeak, input: "1.32", cached_input: "0.044", output: "3.96" }],
  },
  // ai.google.dev/gemini-api/docs/pricing, and partly genai-prices: prices are halved through 2026-12-31, and for
  // Gemini 4 Argon through 2026-11-30. The page names no time zone. The change is made in UTC, where the day begins
  // first, so that requests are never charged below Google's price. Batch and similar modes are factors.
  introductoryPrice(/^gemini-3\.[678]-flash$|^gemini-flash-latest$/, "2027-01-01", {
    listed: { input: "0.75", output: "3.75" },
    later: { input: "1.5", cached_input: "0.15", output: "7.5", audio_input: "1.5" },
  }),
  introductoryPrice(/^gemini-4-argon$/, "2026-12-01", {
    listed: { input: "2", output: "10" },
    later: { input: "4", cached_input: "0.2", output: "20" },
  }),
  introductoryPrice(/^gemini-3\.8-flash-tts$/, "2027-01-01", {
    listed: { input: "0.5", output: "9" },
    later: { input: "1", cached_input: "0.25", output: "18", audio_output: "18" },
  }),
  introductoryPrice(/^gemini-3\.8-flash-lite-tts$/, "2027-01-01", {
    listed: { input: "0.5", output: "6" },
    later: { input: "1", cached_input: "0.25", output: "12", audio_output: "12" },
  }),
  introductoryPrice(/^gemini-robotics-er-2-(streaming-)?preview$/, "2027-01-01", {
    listed: { input: "1", output: "5" },
    later: { input: "2", cached_input: "0.2", output: "10", audio_input: "2" },
  }),
  // developers.openai.com/api/docs/models/gpt-6.2-sol: Ultrafast costs 3 times the standard rate through 2027-02-28,
  // and 6 times the standard rate from 2027-03-01, in San Francisco time.
  {
    vendors: ["openai"],
    name: /^gpt-6\.2-(astra|sol)$/,
    listed: [
      { input: "8", output: "40" },
      { input: "2", output: "10" },
    ],
    own: { modes: { ultrafast: "3" } },
    periods: [
      {
        name: "after the introductory price",
        from: "2027-03-01T08:00:00Z",
        modes: { ultrafast: "6" },
      },
    ],
  },
]

/**
 * Adds the periods of prices to the models.
 * @returns the names of models whose price in the lists does not match the schedule.
 */
export function addSchedules(facts: Facts): string[] {
  return schedules.flatMap((schedule) =>
    [...schedule.vendors, ...(schedule.resold ? resellers : [])].flatMap((vendor) =>
      Object.entries(facts.vendors[vendor] ?? {}).flatMap(([name, model]) => {
        const { price } = model
        if (price === undefined || !isMeant(schedule, { facts, vendor, name, model })) return []
        const factor = schedule.vendors.includes(vendor)
          ? schedule.listed.some((rates) => isOf(price, rates)) && SAME
          : surchargeOn(schedule, price)
        if (!factor) return [`${vendor}/${name}`]
        addSchedule(price, schedule, factor)
        return []
      }),
    ),
  )
}

const SAME: Fraction = [1n, 1n]

/** Whether a schedule is for a model, by the model's name or by the name that its maker uses. */
function isMeant(
  { vendors, name: pattern }: Schedule,
  { facts, vendor, name, model }: { facts: Facts; vendor: string; name: string; model: ModelFacts },
): boolean {
  if (vendors.includes(vendor)) return pattern.test(name)
  if (!vendors.includes(model.owner ?? "")) return false
  const maker = makerOf(facts, name, model)?.name
  return maker !== undefined && pattern.test(maker.slice(maker.indexOf("/") + 1))
}

/** Returns the factor of a reseller on a scheduled price; undefined if the reseller has another price. */
function surchargeOn({ listed }: Schedule, price: Price): Fraction | undefined {
  return listed
    .map((rates) => factorOf(price, rates))
    .find((factor) => factor !== undefined && isSurcharge(factor))
}

function isSurcharge([own, maker]: Fraction): boolean {
  return own >= maker && own * 100n <= maker * (100n + MAX_SURCHARGE_PERCENT)
}

function addSchedule(price: Price, { own, periods }: Schedule, factor: Fraction): void {
  // Modes become factors, because fixed rates of a mode would not change with the periods.
  const modes = mapModes(price.modes, (rates) => asFactor(rates, price))
  Object.assign(price, own, { modes: { ...modes, ...own?.modes } })
  if (Object.keys(price.modes ?? {}).length === 0) delete price.modes
  price.periods = structuredClone(periods).map((period) => {
    const changed = { ...period, ...scaled(period, factor) }
    raiseWithInput(changed, price)
    return changed
  })
}

/** Whether a price has all of the given rates. */
export function isOf(price: Price, rates: Rates): boolean {
  return Object.entries(ratesOf(rates)).every(([name, rate]) => price[name as PriceClass] === rate)
}
