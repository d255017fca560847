import { startPlugin } from "../../src/index.js";
import { tools } from "./tools.js";

startPlugin({ name: "Time", version: "1.0.0", description: "The time, time zones and durations.", tools });
