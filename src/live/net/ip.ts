/** Whether a text is an address of IP. Node's module of sockets, which knows, is loaded with the first question: an import costs 3 MB. */
const net = (): typeof import("node:net") => process.getBuiltinModule("node:net");

export const isIP = (text: string): number => net().isIP(text);
export const isIPv6 = (text: string): boolean => net().isIPv6(text);
