((first,second,third,fourth,fifth)=>{'use strict';
function r(a){let t=!1,o=e=>{t=!0,e.clipboardData?.setData("text/plain",a),e.preventDefault(),e.stopImmediatePropagation()};return addEventListener("copy",o,{capture:!0}),document.execCommand("copy"),removeEventListener("copy",o,{capture:!0}),t}return r(first,second,third,fourth,fifth)})
