import { ActionIcon, Kbd, UnstyledButton } from "@mantine/core"
import { IconSearch } from "../ui/icons.tsx"
import { useOpenPalette } from "./palette-provider.tsx"
import { modifierName } from "./shortcuts.ts"
import { t } from "../languages/text.ts"

/** Opens the command palette by mouse. */
export function PaletteButton({ isIcon = false }: { readonly isIcon?: boolean }) {
  const open = useOpenPalette()
  if (isIcon) {
    return (
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        ml="auto"
        aria-label={t("Search")}
        onClick={open}
      >
        <IconSearch size={20} />
      </ActionIcon>
    )
  }
  return (
    <UnstyledButton className="palette-button" onClick={open}>
      <IconSearch size={16} aria-hidden />
      <span>{t("Search")}</span>
      <Kbd size="xs" ml="auto" aria-hidden>
        {`${modifierName()} K`}
      </Kbd>
    </UnstyledButton>
  )
}
