import "./sparkline.css"

export interface SparklineProperties {
  /** The values from the oldest to the newest one. */
  readonly values: readonly number[]
  /** Describes the values for screen readers. */
  readonly label: string
}

/** Shows a trend as small bars, in a table cell. */
export function Sparkline({ values, label }: SparklineProperties) {
  const top = Math.max(0, ...values)
  return (
    <div className="sparkline" role="img" aria-label={label}>
      {values.map((value, index) => (
        <i key={index} style={{ height: top === 0 ? 0 : `${(100 * value) / top}%` }} />
      ))}
    </div>
  )
}
