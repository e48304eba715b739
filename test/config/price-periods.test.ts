import { expect, test } from "bun:test"
import { load, problems } from "./harness.ts"

const FILE = `providers:
  local: { vendor: vllm, base_url: http://127.0.0.1 }
`
/** Returns a file with a model whose price is on line 5. Each period is on a separate line after it. */
const priced = (price: string, ...periods: string[]): string =>
  `${FILE}models:
  local/a:
    price: { ${price},
      periods: [
${periods.map((period) => `        { ${period} },`).join("\n")}
      ] }
`
const found = (price: string, ...periods: string[]): string[] =>
  problems(priced(price, ...periods)).map((problem) => problem.replace("models.local/a.price.", ""))
const isTaken = (price: string, ...periods: string[]): boolean =>
  load(priced(price, ...periods)).settings.models["local/a"]?.price?.periods !== undefined

test("price periods are read with their times, days and hours", () => {
  const file = priced(
    "input: 1, output: 2",
    "name: night, zone: Europe/Vienna, hours: [00:00-06:00, '22:00-24:00'], input: 0.5",
    "from: 2027-01-01, until: '2028-01-01T00:00:00+08:00', days: [sat], hours: [06:00-22:00], zone: Europe/Vienna, output: 3, modes: { fast: 2 }",
  )
  expect(load(file).settings.models["local/a"]?.price?.periods).toEqual([
    { name: "night", zone: "Europe/Vienna", hours: ["00:00-06:00", "22:00-24:00"], input: "0.5" },
    {
      from: Date.parse("2027-01-01T00:00:00Z"),
      until: Date.parse("2027-12-31T16:00:00Z"),
      days: ["sat"],
      hours: ["06:00-22:00"],
      zone: "Europe/Vienna",
      output: "3",
      modes: { fast: "2" },
    },
  ])
})

const ALONE: [period: string, place: string, message: string][] = [
  ["days: [mon]", "7:9 periods[0]", "changes no price. Set at least one, such as input: 0.10"],
  ["input: 1", "7:9 periods[0]", "applies always. Set from, until, days or hours"],
  ["input: 1, hours: [00:00-24:00]", "7:9 periods[0]", "applies always."],
  [
    "input: 1, from: 2027-01-01, until: 2027-01-01",
    "7:46 periods[0].until",
    "is not after 'from'. Set a later moment, or swap the two",
  ],
  ["input: 1, from: tomorrow", "7:27 periods[0].from", "must be a moment such as 2026-12-01"],
  ["input: 1, days: [monday]", "7:28 periods[0].days[0]", "is not a known day of the week."],
  ["input: 1, days: []", "7:27 periods[0].days", "is empty."],
  [
    "input: 1, hours: [9-12]",
    "7:29 periods[0].hours[0]",
    "must be hours such as 09:00-12:00, at most to 24:00",
  ],
  [
    "input: 1, hours: [22:00-06:00]",
    "7:29 periods[0].hours[0]",
    "ends before it begins. Write two: 22:00-24:00 and 00:00-06:00",
  ],
  [
    "input: 1, hours: [22:00-00:00]",
    "7:29 periods[0].hours[0]",
    "ends before it begins. Midnight at its end is 24:00: 22:00-24:00",
  ],
  [
    "input: 1, days: [mon], zone: Mars/Base",
    "7:40 periods[0].zone",
    "is not a known time zone. Use one such as UTC or Asia/Shanghai",
  ],
  [
    "input: 1, from: 2027-01-01, zone: Asia/Shanghai",
    "7:45 periods[0].zone",
    "has no effect without days or hours.",
  ],
  ["inptu: 1, days: [mon]", "7:11 periods[0]", "unknown name 'inptu'. Did you mean 'input'?"],
]

test.each(ALONE)("a price period of { %s } is rejected", (period, place, message) => {
  const [first] = found("input: 1, output: 2", period)
  expect(first).toStartWith(`${place}: ${message}`)
})

test("price periods that overlap, or have several time zones, are rejected", () => {
  const price = "input: 1, output: 2"
  expect(found(price, "input: 2, days: [mon, tue]", "input: 3, hours: [10:00-11:00]")).toEqual([
    "8:9 periods[1]: applies at the same time as periods[0]. End one of the two before the other begins",
  ])
  expect(isTaken(price, "input: 2, until: 2027-01-01", "input: 3, from: 2027-01-01")).toBe(true)
  expect(found(price, "input: 2, days: [mon], zone: Asia/Tokyo", "input: 3, days: [tue]")).toEqual([
    "8:9 periods[1]: is 'UTC', but another period has 'Asia/Tokyo'. Use one time zone for all days and hours of a price",
  ])
})

test("a price period that changes a class with tiers requires its own tiers", () => {
  const price = "input: 1, output: 2, cached_input: 0.1, tiers: [{ above: 1000, input: 2 }]"
  expect(found(price, "input: 2, days: [mon]")).toEqual([
    "7:9 periods[0]: changes 'input', which the price's tiers also name. Give the period its own tiers",
  ])
  expect(isTaken(price, "cached_input: 0.2, days: [mon]")).toBe(true)
  expect(isTaken(price, "input: 2, days: [mon], tiers: [{ above: 1000, input: 4 }]")).toBe(true)
  const [twice] = found(price, "input: 2, days: [mon], tiers: [{ above: 5 }, { above: 5 }]")
  expect(twice).toContain("periods[0].tiers[1].above: another tier begins above the same length")
})

test("a price period that changes a rate requires its own rates for each mode with its own rates", () => {
  const price = "input: 1, output: 2, modes: { fast: 2, flex: { input: 0.5 } }"
  expect(found(price, "input: 2, days: [mon]")).toEqual([
    "7:9 periods[0]: changes 'input', but the mode 'flex' has its own prices. Give the period its own 'flex' under modes",
  ])
  expect(isTaken(price, "days: [mon], modes: { fast: 3 }")).toBe(true)
  expect(isTaken(price, "input: 2, days: [mon], modes: { flex: { input: 1 } }")).toBe(true)
})

test("price periods are validated in every price, and rejected in a rate card", () => {
  const price = "{ input: 1, output: 2, periods: [{ input: 3 }] }"
  const always = "periods[0]: applies always."
  const places: [string, string][] = [
    [
      `models:\n  local/a: { deployments: [{ price: ${price} }] }\n`,
      `models.local/a.deployments[0].price.${always}`,
    ],
    [`unknown_models: { price: ${price} }\n`, `unknown_models.price.${always}`],
    [
      `price_groups:\n  vip:\n    terms: [{ from: 2026-01-01, prices: { local/a: ${price} } }]\n`,
      "prices.(a name).periods: cannot be used in a rate card, whose terms have start dates. Add another term to the group",
    ],
  ]
  for (const [text, message] of places) expect(problems(FILE + text)[0]).toContain(message)
})

test("the number of price periods and of their days and hours is limited", () => {
  const price = "input: 1, output: 2"
  const minutes = Array.from({ length: 49 }, (_, index) => `10:${10 + index}-10:${11 + index}`)
  expect(found(price, `input: 2, hours: [${minutes.join(", ")}]`)).toEqual([
    "7:28 periods[0].hours: must have at most 48 entries",
  ])
  expect(isTaken(price, `input: 2, hours: [${minutes.slice(1).join(", ")}]`)).toBe(true)
  const years = Array.from({ length: 101 }, (_, index) => {
    const year = 2030 + index
    return `input: 2, from: ${year}-01-01, until: ${year}-02-01`
  })
  expect(found(price, ...years)).toEqual(["6:16 periods: must have at most 100 periods"])
  expect(isTaken(price, ...years.slice(1))).toBe(true)
})
