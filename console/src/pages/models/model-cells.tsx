import { Text } from "@mantine/core"
import type { Model } from "tollgate-contract/catalog.ts"
import { shortCount } from "../../format/numbers.ts"
import { IconCheck } from "../../ui/icons.tsx"
import { Money } from "../../ui/money.tsx"
import { Status } from "../../ui/status.tsx"
import {
  classLabel,
  effectivePrice,
  firstPrice,
  PER_MILLION,
  readablePrice,
  usualClasses,
} from "./prices.ts"
import { inSentence, t } from "../../languages/text.ts"
import { joined, someOf } from "../../format/lists.ts"

const NOTHING = <span className="dim">–</span>

/** Formats a number of tokens. */
export function tokens(count: number | null) {
  return count === null ? NOTHING : shortCount(count)
}

/** Shows whether a model has a capability. */
export function Can({ has }: { readonly has: boolean | null }) {
  if (has === true) return <IconCheck size={16} className="can" aria-label={t("yes")} role="img" />
  return has === null ? (
    <span className="dim" title={t("Not known")}>
      ?<span className="unseen">{t("not known")}</span>
    </span>
  ) : (
    <span className="dim">
      <span aria-hidden>–</span>
      <span className="unseen">{t("no")}</span>
    </span>
  )
}

const SHOWN_PROVIDERS = 2

/** Lists the providers of a model in the order of use. */
export function Providers({ model }: { readonly model: Model }) {
  const names = [...new Set(model.deployments.map(({ provider }) => provider))]
  const more = names.length - SHOWN_PROVIDERS
  return <span title={joined(names)}>{someOf(names.slice(0, SHOWN_PROVIDERS), more)}</span>
}

/** Lists the endpoints that accept a model. */
export function Endpoints({ paths }: { readonly paths: readonly string[] }) {
  return (
    <span className="mono">
      {paths.map((path) => (
        <div key={path}>{path}</div>
      ))}
    </span>
  )
}

/** Shows the price of input, or the main price of a model without input prices. */
export function InputPrice({ model }: { readonly model: Model }) {
  if (model.price === null) return <Status value="no_price" color="yellow" />
  // Models without an input price show their main price with the name of its class.
  const [name, price] = firstPrice(model, ["input", ...usualClasses(model.kind)]) ?? []
  if (name === undefined || price === undefined) return <span className="dim">–</span>
  const { credits, per } = readablePrice(name, price)
  return (
    <>
      <Money value={credits} decimals={6} />
      {name !== "input" && (
        <Text size="xs" c="dimmed" className="price-unit">
          {per === PER_MILLION
            ? t("per million {unit}", { unit: inSentence(classLabel(name)) })
            : per}
        </Text>
      )}
    </>
  )
}

/** Shows the price of output. */
export function OutputPrice({ model }: { readonly model: Model }) {
  const price = effectivePrice(model, "output")
  return price === undefined ? <span className="dim">–</span> : <Money value={price} decimals={6} />
}
