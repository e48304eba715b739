import type { ReactNode } from "react"

export interface Fact {
  readonly label: string
  readonly value: ReactNode
  /** Whether the value is long and needs its own line. */
  readonly isWide?: boolean
}

/** Shows a list of names and values, in columns if there is room. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map((fact) => (
        <div key={fact.label} data-wide={fact.isWide}>
          <dt>{fact.label}</dt>
          <dd>{fact.value}</dd>
        </div>
      ))}
    </dl>
  )
}
