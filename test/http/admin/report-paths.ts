import { DAY_MS } from "../../../contract/durations.ts"

const FROM = new Date(Date.now() - DAY_MS).toISOString()
const TO = new Date(Date.now() + DAY_MS).toISOString()
const RANGE = `from=${FROM}&to=${TO}`
const LONG_RANGE = `from=${new Date(Date.now() - 20 * DAY_MS).toISOString()}&to=${TO}`

const GROUPS = [
  "hour",
  "day",
  "model",
  "key",
  "provider",
  "account",
  "endpoint",
  "outcome",
  "price_group",
  "user",
  "session",
  "tag",
]

/** Every list and report of requests that an operator reads. */
export const REPORTS: readonly string[] = [
  "/receipts",
  "/receipts?sort=most_expensive",
  "/receipts?sort=slowest",
  "/receipts?status=written_off",
  "/receipts?user=u",
  "/receipts.csv",
  "/requests.csv",
  "/requests.csv?status=rejected",
  ...GROUPS.flatMap((group) => [
    `/usage?group=${group}&${RANGE}`,
    `/usage?group=${group}&series=hour&times=true&before=true&order=tokens&${RANGE}`,
    `/usage?group=${group}&series=day&order=errors&${LONG_RANGE}`,
  ]),
  `/usage?group=model&user=u&${RANGE}`,
  `/usage?group=model&price_group=partners&${RANGE}`,
  "/receipts?price_group=partners",
  `/usage/requests?step=hour&${RANGE}`,
  `/usage/changes?${RANGE}`,
  "/usage/overview",
  "/usage/reliability?group=model",
  "/usage/reliability?group=provider",
  "/accounts?usage=true&sort=spent_30_days",
  "/accounts?usage=true&sort=balance",
  "/keys",
  "/write-offs",
  `/billing-gaps?${RANGE}`,
  "/reconciliations",
  "/failures",
  "/system",
]
