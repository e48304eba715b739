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
      { to: "/", label: "Overview", icon: IconChartBar, shortcut: "o" },
      { to: "/keys", label: "Keys", icon: IconKey, shortcut: "k" },
      { to: "/connect", label: "Connect", icon: IconPlug },
      { to: "/usage", label: "Usage", icon: IconChartDots, shortcut: "u" },
      { to: "/requests", label: "Requests", icon: IconListDetails, shortcut: "r" },
      { to: "/credits", label: "Credits", icon: IconCoins, shortcut: "c" },
      { to: "/models", label: "Models", icon: IconBox, shortcut: "m" },
      { to: "/playground", label: "Playground", icon: IconMessageChatbot, shortcut: "p" },
      { to: "/members", label: "Members", icon: IconUsers },
      { to: "/notices", label: "Notices", icon: IconBell, needs: "owner" },
      { to: "/audit", label: "Audit", icon: IconHistory, needs: "owner" },
    ],
  },
  {
    heading: "Operator",
    isOperatorOnly: true,
    entries: [
      { to: "/providers", label: "Providers", icon: IconPlugConnected },
      { to: "/accounts", label: "Accounts", icon: IconBuildingBank, shortcut: "a" },
      { to: "/price-groups", label: "Price groups", icon: IconTag },
      { to: "/users", label: "Users", icon: IconUserShield },
      { to: "/codes", label: "Codes", icon: IconGift },
      { to: "/settings", label: "Settings", icon: IconAdjustments, shortcut: "s" },
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
