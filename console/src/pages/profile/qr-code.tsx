import { encode } from "uqr"

export interface QrCodeProperties {
  readonly text: string
  /** Describes the content for screen readers. */
  readonly label: string
}

/** Width, in modules, of the light border that scanners need. */
const RIM = 4

/** Shows a QR code. It is dark on light in both color schemes, because scanners require that. */
export function QrCode({ text, label }: QrCodeProperties) {
  const { data, size } = encode(text, { ecc: "M", border: RIM })
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("")
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      width={220}
      height={220}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
