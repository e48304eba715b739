import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BillError } from "../../../src/management/reconciliation/bill.ts"
import { readBillFile } from "../../../src/management/reconciliation/bill-file.ts"
import { readColumns } from "../../../src/management/reconciliation/bill-formats.ts"
import { DAYS } from "./support.ts"

const MAPPED = "date=d,model=m,cost=c"
const folder = mkdtempSync(join(tmpdir(), "tollgate-bill-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function read(text: string, columns?: string) {
  const path = join(folder, "bill.csv")
  writeFileSync(path, text)
  return readBillFile(path, DAYS, columns === undefined ? undefined : readColumns(columns))
}

async function rejection(text: string, columns?: string): Promise<string> {
  const error = await Promise.try(() => read(text, columns)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof BillError)) throw new Error(`not rejected: ${error}`)
  return `${error.message}. ${error.hint}`
}

const CREDIT = 10n ** 18n
const AT = Date.parse("2026-11-01")

describe("the bill reader", () => {
  test("reads the rows of Google's cost table below the invoice data", async () => {
    const bill = await read(
      [
        "Invoice number,123",
        "Currency,USD",
        "Total amount due,$95.00",
        "",
        "Project ID,Service description,SKU description,Usage start date,Usage end date,Usage amount,Usage unit,Unrounded Cost ($),Cost ($)",
        'p,Vertex AI,Gemini 2.5 Flash Text Input - Predictions,2026-11-01,2026-11-01,"1,000,000",count,0.3000001,0.30',
        "p,Compute Engine,N2 Core,2026-11-01,2026-11-30,1,hour,7,7",
        "p,Vertex AI,Gemini 2.5 Flash Text Output - Predictions,2026-11-03,2026-11-03,10,count,0.1,0.1",
      ].join("\n"),
    )
    expect(bill).toMatchObject({ source: "bill.csv", skipped: 2 })
    expect(bill.rows).toMatchObject([
      {
        day: AT,
        isDescription: true,
        class: "input",
        quantity: 1_000_000n,
        amount: (3_000_001n * CREDIT) / 10n ** 7n,
        places: 7,
      },
    ])
  })

  test.each([
    [
      "an export of Google's BigQuery",
      "service.description,sku.description,usage_start_time,usage_end_time,cost,currency,usage.amount,usage.unit\n" +
        "Vertex AI,Claude Cache Read Input Tokens,2026-11-01 03:00:00 UTC,2026-11-01 04:00:00 UTC,1.5e-06,USD,5,count",
      { class: "cached_input", amount: (15n * CREDIT) / 10n ** 7n, quantity: 5n },
    ],
    [
      "an AWS Cost and Usage Report",
      "lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,lineItem/UsageType,lineItem/UsageAmount,pricing/unit,lineItem/UnblendedCost,lineItem/CurrencyCode\r\n" +
        "2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,AmazonBedrock,USE1-Claude4Sonnet-output-tokens-batch,1.5,1K tokens,0.0000000001,USD\r\n",
      { class: "output", amount: CREDIT / 10n ** 10n, quantity: 1_500n },
    ],
    [
      "an AWS Cost and Usage Report with other column names",
      "line_item_usage_start_date,line_item_product_code,line_item_usage_type,line_item_unblended_cost,line_item_currency_code\n" +
        "2026-11-01 00:00:00,AmazonBedrock,USE1-NovaLite-input-tokens,-0.5,USD",
      { class: "input", amount: -CREDIT / 2n, quantity: null },
    ],
    [
      "an Azure export",
      '\uFEFFDate,MeterCategory,MeterName,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrency\n11/01/2026,Azure OpenAI,"gpt 4o 0806 cached Inp glbl Tokens",2,1M,0.25,USD',
      { class: "cached_input", amount: CREDIT / 4n, quantity: 2_000_000n },
    ],
    [
      "a FOCUS export",
      "ChargePeriodStart,ChargePeriodEnd,ServiceName,ChargeDescription,BilledCost,BillingCurrency,ConsumedQuantity,ConsumedUnit\n" +
        "2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Amazon Bedrock,Claude input,1,USD,1,Thousand tokens",
      { class: "input", amount: CREDIT, quantity: 1_000n },
    ],
  ])("reads %s", async (_, text, row) => {
    const { rows } = await read(text)
    expect(rows).toMatchObject([{ day: AT, ...row }])
  })

  test("reads another format by the names of its columns", async () => {
    const text =
      "When,Name,Price,Kind,Key,Amount,Cur\n2026-11-01,gpt-5.4,0.1,cached_input,k1,10,usd"
    const columns =
      "date=when,model=Name,cost=Price,class=Kind,key=Key,quantity=Amount,currency=Cur"
    expect((await read(text, columns)).rows).toMatchObject([
      {
        model: "gpt-5.4",
        isDescription: false,
        key: "k1",
        class: "cached_input",
        quantity: 10n,
        amount: CREDIT / 10n,
      },
    ])
  })
})

describe("the bill reader on an unreadable bill", () => {
  test.each([
    [
      "d,m,c,u\n2026-11-01,x,1,EUR",
      "date=d,model=m,cost=c,currency=u",
      "line 2: its currency is 'EUR'",
    ],
    [
      "SKU description,Usage start date,Cost (€)\nx,2026-11-01,1",
      undefined,
      "line 1: its currency",
    ],
    ["a,b,c\n1,2,3", undefined, "line 1: its columns are unknown. Known formats: Google"],
    [
      "d,m\n1,2",
      MAPPED,
      "line 1: the header has no column 'c'. Name its columns in --columns: d, m",
    ],
    ["", undefined, "is empty"],
    ["d,m,c\n2026-11-01,x", MAPPED, "line 2: it has 2 cells and the header 3"],
    ['d,m,c\n2026-11-01,"x\ny",1\n2026-11-01,x,?', MAPPED, "line 4: '?' is not a number"],
    ['d,m,c\n2026-11-01,"x,1', MAPPED, "it is not CSV"],
    ["d,m,c\n2026-11-31,x,1", MAPPED, "line 2: '2026-11-31' is not a day"],
    ["d,m,c\n2026-11-01,x,1,5", MAPPED, "line 2: it has 4 cells"],
    [
      'd,m,c\n2026-11-01,x,"1,5"',
      MAPPED,
      "line 2: '1,5' is not a number. Write numbers as 1234.56",
    ],
    ["d,m,c\n2026-11-01,x,1e400", MAPPED, "line 2: '1e400' is more than a million credits"],
    ["d,m,c\n2026-11-01,x,-1000001", MAPPED, "line 2: '-1000001' is more than a million credits"],
    [
      "d,m,c,q\n2026-11-01,x,1,-1",
      `${MAPPED},quantity=q`,
      "line 2: '-1' is not a possible quantity",
    ],
    [
      "d,m,c,k\n2026-11-01,x,1,thing",
      `${MAPPED},class=k`,
      "line 2: 'thing' is not a class of usage",
    ],
    [
      "d,e,m,c\n2026-11-01,2026-12-01,x,1",
      `${MAPPED},end=e`,
      "line 2: it covers more than one day, until 2026-12-01. Export the bill by day.",
    ],
    ["d,m,c\n2026-11-01,x,1\n2026-11-02,x,1\n2026-11-01,x,1", MAPPED, "line 4: it repeats line 2"],
    ["d,m,c\n", "date=d,model=m", "--columns lacks cost"],
    ["d,m,c\n", `${MAPPED},price=c`, "'price=c' in --columns is not a field and its column"],
    ["d,m,c\n", `${MAPPED},service=c`, "'service=c' in --columns is not a field and its column"],
  ])("reports the line and suggests a correction: %j", async (text, columns, words) => {
    expect(await rejection(text, columns)).toContain(words)
  })

  test("reports a missing file", async () => {
    const reading = readBillFile(join(folder, "none.csv"), DAYS)
    expect(await reading.catch((error: unknown) => (error as Error).message)).toContain(
      "cannot be read: ENOENT",
    )
  })
})
