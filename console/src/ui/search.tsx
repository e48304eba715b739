import { CloseButton, Kbd, TextInput } from "@mantine/core"
import { useDebouncedCallback, useHotkeys } from "@mantine/hooks"
import { IconSearch } from "./icons.tsx"
import { useEffect, useRef, useState } from "react"
import { t } from "../languages/text.ts"

export interface SearchProperties {
  readonly value: string
  readonly onChange: (value: string) => void
  /** Describes the searched content: "Search models". */
  readonly label: string
}

/** The search field of a page. The key `/` focuses it. Typed text is applied after a short pause. */
export function Search({ value, onChange, label }: SearchProperties) {
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(value)
  const change = useDebouncedCallback(onChange, 200)
  useHotkeys([["/", () => field.current?.focus()]])
  useEffect(() => setTyped(value), [value])

  function type(text: string) {
    setTyped(text)
    change(text)
  }

  return (
    <TextInput
      ref={field}
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      leftSection={<IconSearch size={16} />}
      rightSection={
        typed === "" ? (
          <Kbd size="xs" visibleFrom="sm">
            /
          </Kbd>
        ) : (
          <CloseButton size="sm" aria-label={t("Clear search")} onClick={() => type("")} />
        )
      }
      className="search"
    />
  )
}
