import "./palette.css"
import { Modal } from "@mantine/core"
import type { NavEntry } from "../layout/nav.tsx"
import { Palette } from "./palette.tsx"
import { ShortcutList } from "./shortcut-list.tsx"
import { t } from "../languages/text.ts"

export type PaletteDialog = "palette" | "shortcuts"

export interface DialogsProperties {
  /** The open dialog; undefined means no dialog. */
  readonly shown: PaletteDialog | undefined
  /** The pages that the user may open. */
  readonly pages: readonly NavEntry[]
  readonly onShow: (dialog: PaletteDialog) => void
  readonly onClose: () => void
}

/** The command palette, and the list of shortcuts. */
export function PaletteDialogs({ shown, pages, onShow, onClose }: DialogsProperties) {
  return (
    <>
      <Modal
        opened={shown === "palette"}
        onClose={onClose}
        withCloseButton={false}
        title={t("Search")}
        // Hides the title, because the search field below already shows it.
        classNames={{ header: "unseen" }}
        size="lg"
        padding={0}
        centered={false}
        yOffset="12dvh"
      >
        <Palette pages={pages} onHelp={() => onShow("shortcuts")} onClose={onClose} />
      </Modal>
      <Modal opened={shown === "shortcuts"} onClose={onClose} title={t("Keyboard shortcuts")}>
        <ShortcutList pages={pages} />
      </Modal>
    </>
  )
}
