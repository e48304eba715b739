import {
  IconAdjustments,
  IconBell,
  IconBox,
  IconBuildingBank,
  IconChartBar,
  IconChartDots,
  IconCoins,
  IconGift,
  IconHistory,
  IconKey,
  IconListDetails,
  IconMessageChatbot,
  IconPlug,
  IconPlugConnected,
  IconTag,
  IconUserShield,
  IconUsers,
  type Icon,
} from "../ui/icons.tsx"
import type { AccountRole } from "tollgate-contract/common.ts"
import { t } from "../languages/text.ts"

export interface NavEntry {
  readonly to: string
  readonly label: string
  readonly icon: Icon
  /** Minimum role in the selected account. */
  readonly needs?: AccountRole
  /** Pressing `g` and then this key opens the page. */
  readonly shortcut?: string
}

export interface NavSection {
  /** The heading; undefined for the first section, which needs no heading. */
  readonly heading?: string
  readonly isOperatorOnly?: boolean
  readonly entries: readonly NavEntry[]
}

/** The pages, in the order of the navigation. */
export const NAV_SECTIONS: readonly NavSection[] = [
  {
    entries: [
      { to: "/", label: t("Overview"), icon: IconChartBar, shortcut: "o" },
      { to: "/keys", label: t("Keys"), icon: IconKey, shortcut: "k" },
      { to: "/connect", label: t("Connect"), icon: IconPlug },
      { to: "/usage", label: t("Usage"), icon: IconChartDots, shortcut: "u" },
      { to: "/requests", label: t("Requests"), icon: IconListDetails, shortcut: "r" },
      { to: "/credits", label: t("Credits"), icon: IconCoins, shortcut: "c" },
      { to: "/models", label: t("Models"), icon: IconBox, shortcut: "m" },
      { to: "/playground", label: t("Playground"), icon: IconMessageChatbot, shortcut: "p" },
      { to: "/members", label: t("Members"), icon: IconUsers },
      { to: "/notices", label: t("Notices"), icon: IconBell, needs: "owner" },
      { to: "/audit", label: t("Audit"), icon: IconHistory, needs: "owner" },
    ],
  },
  {
    heading: t("Operator"),
    isOperatorOnly: true,
    entries: [
      { to: "/providers", label: t("Providers"), icon: IconPlugConnected },
      { to: "/accounts", label: t("Accounts"), icon: IconBuildingBank, shortcut: "a" },
      { to: "/price-groups", label: t("Price groups"), icon: IconTag },
      { to: "/users", label: t("Users"), icon: IconUserShield },
      { to: "/codes", label: t("Codes"), icon: IconGift },
      { to: "/settings", label: t("Settings"), icon: IconAdjustments, shortcut: "s" },
    ],
  },
]

/** Returns the navigation entries that the user may see. */
export function visibleSections(
  isOperator: boolean,
  may: (role: AccountRole) => boolean,
): readonly NavSection[] {
  return NAV_SECTIONS.filter((section) => isOperator || section.isOperatorOnly !== true).map(
    (section) => ({
      ...section,
      entries: section.entries.filter(({ needs }) => needs === undefined || may(needs)),
    }),
  )
}

/** Reports whether a path belongs to the page of a navigation entry, or to a page below it. */
export function isWithin(path: string, entry: string): boolean {
  return entry === "/" ? path === "/" : path === entry || path.startsWith(`${entry}/`)
}
