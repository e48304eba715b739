import { AppShell, Burger, Container, Group, NavLink, ScrollArea } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { Link, useRouterState } from "@tanstack/react-router"
import { useEffect } from "react"
import { useAccount } from "../account.tsx"
import { useSession } from "../session.tsx"
import { AccountBanner } from "../ui/account-banner.tsx"
import { AccountSwitcher } from "./account-switcher.tsx"
import { AllowedPage } from "./allowed-page.tsx"
import { Brand } from "./brand.tsx"
import { isWithin, visibleSections } from "./nav.tsx"
import { PaletteButton } from "../palette/palette-button.tsx"
import { PaletteProvider } from "../palette/palette-provider.tsx"
import { UserMenu } from "./user-menu.tsx"
import { t } from "../languages/text.ts"

/** The frame around every page for signed-in users. */
export function Shell() {
  const [isOpen, navigation] = useDisclosure(false)
  const path = useRouterState({ select: (state) => state.location.pathname })
  const { accountId } = useAccount()
  const close = navigation.close
  useEffect(() => close(), [path, close])
  return (
    <PaletteProvider>
      <AppShell
        header={{ height: { base: 52, sm: 0 } }}
        navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
        padding={{ base: "sm", sm: "xl" }}
      >
        <a href="#content" className="skip-link">
          {t("Skip to the content")}
        </a>
        <AppShell.Header className="shell-header" hiddenFrom="sm">
          <Group h="100%" px="sm" gap="sm">
            <Burger
              opened={isOpen}
              onClick={navigation.toggle}
              size="sm"
              aria-label={isOpen ? t("Close navigation") : t("Open navigation")}
            />
            <Brand />
            <PaletteButton isIcon />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar className="shell-navbar" aria-label={t("Navigation")}>
          <AppShell.Section p="md" pb="xs" visibleFrom="sm">
            <Brand />
          </AppShell.Section>
          <AppShell.Section px="xs" py="xs">
            <AccountSwitcher />
          </AppShell.Section>
          <AppShell.Section px="xs" pb="xs" visibleFrom="sm">
            <PaletteButton />
          </AppShell.Section>
          <AppShell.Section grow component={ScrollArea} px="xs" type="auto">
            <Navigation path={path} />
          </AppShell.Section>
          <AppShell.Section p="xs" className="shell-user">
            <UserMenu />
          </AppShell.Section>
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1}>
          <Container size="var(--page-width)" p={0}>
            {accountId !== undefined && !isWithin(path, "/accounts") && (
              <AccountBanner account={accountId} />
            )}
            <AllowedPage path={path} />
          </Container>
        </AppShell.Main>
      </AppShell>
    </PaletteProvider>
  )
}

function Navigation({ path }: { readonly path: string }) {
  const { is_operator: isOperator } = useSession()
  const { may } = useAccount()
  return visibleSections(isOperator, may).map((section) => (
    <div key={section.heading ?? ""}>
      {section.heading !== undefined && <p className="nav-heading">{section.heading}</p>}
      {section.entries.map((entry) => (
        <NavLink
          key={entry.to}
          renderRoot={(properties) => <Link to={entry.to} {...properties} />}
          label={entry.label}
          leftSection={<entry.icon size={18} strokeWidth={1.7} aria-hidden />}
          active={isWithin(path, entry.to)}
          className="nav-link"
        />
      ))}
    </div>
  ))
}
