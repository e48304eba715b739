import { Box, Code } from "@mantine/core"
import { CopyButton } from "./copy-button.tsx"

export interface SnippetProperties {
  readonly code: string
  /** The label of the copy button: "Copy the curl command". */
  readonly label: string
  /** Maximum height in CSS pixels; longer content scrolls. */
  readonly maxHeight?: number
}

/** Shows code or a secret unchanged, with a copy button. */
export function Snippet({ code, label, maxHeight = 360 }: SnippetProperties) {
  return (
    <Box pos="relative">
      <Code
        block
        className="snippet"
        tabIndex={0}
        mah={maxHeight}
        aria-label={label.replace(/^Copy /, "")}
        role="group"
      >
        {code}
      </Code>
      <Box pos="absolute" top={4} right={4} className="snippet-copy">
        <CopyButton value={code} label={label} />
      </Box>
    </Box>
  )
}
