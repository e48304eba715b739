import {
  Avatar,
  Box,
  Group,
  Menu,
  Text,
  UnstyledButton,
  useMantineColorScheme,
} from "@mantine/core"
import {
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSun,
  IconUserCircle,
} from "../ui/icons.tsx"
import { useNavigate } from "@tanstack/react-router"
import { useSession } from "../session.tsx"
import { useSignOut } from "./use-sign-out.ts"
import { t } from "../languages/text.ts"

const SCHEMES = [
  { value: "light", label: t("Light"), icon: IconSun },
  { value: "dark", label: t("Dark"), icon: IconMoon },
  { value: "auto", label: t("System"), icon: IconDeviceDesktop },
] as const

/** The menu of the signed-in user: profile, color scheme, sign-out. */
export function UserMenu() {
  const session = useSession()
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  const name = session.user?.name ?? t("Admin token")

  return (
    <Menu position="top-start" width={232} shadow="md">
      <Menu.Target>
        <UnstyledButton className="user-button">
          <Group gap="sm" wrap="nowrap">
            <Avatar size={32} color="gate" radius="xl" name={name} aria-hidden />
            <Box style={{ flex: 1, minWidth: 0 }}>
              <Text size="sm" fw={500} truncate>
                {name}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {session.user?.email ?? t("operator")}
              </Text>
            </Box>
            <span className="unseen">{t("Profile, appearance, sign out")}</span>
            <IconSelector size={16} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconUserCircle size={16} />}
          onClick={() => void navigate({ to: "/profile" })}
        >
          {t("Profile and security")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t("Appearance")}</Menu.Label>
        {SCHEMES.map((scheme) => (
          <Menu.Item
            key={scheme.value}
            leftSection={<scheme.icon size={16} />}
            onClick={() => setColorScheme(scheme.value)}
            {...(colorScheme === scheme.value && { fw: 600, "aria-current": true })}
          >
            {scheme.label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          {t("Sign out")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
