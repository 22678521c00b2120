import "./shell/tokens.css";
import { mount } from "svelte";
import App from "./shell/App.svelte";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
mount(App, { target: document.getElementById("app")! });
