import type { CSSProperties, ReactNode } from "react"
import { CONSOLE_PATH } from "../base-path.ts"
import { markedVendor, monogramOf, providerOfModel } from "../format/vendor-marks.ts"
import "./provider-mark.css"

export interface ProviderMarkProperties {
  /** The id of the provider. */
  readonly provider: string
  /** The vendor of the provider, if known. */
  readonly vendor?: string
}

/**
 * Shows the mark of a provider before its name: the logo of its vendor, or the first letter of its id. Screen readers
 * only read the name.
 */
export function ProviderMark({ provider, vendor }: ProviderMarkProperties) {
  const marked = markedVendor(provider, vendor)
  if (marked === undefined) {
    const letter = monogramOf(provider)
    return <span className="provider-mark provider-monogram" data-letter={letter} aria-hidden />
  }
  const style: CSSProperties & Readonly<Record<"--mark", string>> = {
    "--mark": `url("${CONSOLE_PATH}marks/${marked}.svg")`,
  }
  return <span className="provider-mark" style={style} data-vendor={marked} aria-hidden />
}

/** Shows the mark of a provider on the same line as its name. */
export function MarkedProvider({
  children,
  ...provider
}: ProviderMarkProperties & { readonly children: ReactNode }) {
  return (
    <span className="marked">
      <ProviderMark {...provider} />
      <span>{children}</span>
    </span>
  )
}

/**
 * Shows the mark of a model's provider on the same line as the name of the model.
 * @param model null if the name is not of a model.
 */
export function MarkedModel({
  model,
  children,
}: {
  readonly model: string | null
  readonly children: ReactNode
}) {
  if (model === null || model === "") return children
  return <MarkedProvider provider={providerOfModel(model)}>{children}</MarkedProvider>
}

/** Shows the mark of the provider that a model's id names. */
export function ModelMark({ model }: { readonly model: string }) {
  return <ProviderMark provider={providerOfModel(model)} />
}
