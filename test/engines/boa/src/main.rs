//! Boa, an engine written in Rust, running a barewire server from source. boa BUNDLE LINES: prints one JSON line. LINES: two lines
//! of handshake, then one call a line.
use boa_engine::{js_string, Context, JsString, JsValue, NativeFunction, Source};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// Counts the allocated bytes of the whole process, and their maximum.
struct Counter;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(now, Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTER: Counter = Counter;

thread_local! {
    static SAID: RefCell<VecDeque<String>> = RefCell::default();
}

/// Calls between two forced collections, in addition to Boa's own.
const COLLECTED: usize = 10;

fn read(context: &mut Context, text: &str) {
    let called = context.global_object().get(js_string!("readLine"), context).unwrap();
    called.as_callable().unwrap().call(&JsValue::undefined(), &[JsValue::from(JsString::from(text))], context).unwrap();
    context.run_jobs().unwrap();
}

/// The id of a request, as JSON text.
fn id_of(text: &str) -> String {
    let from = text.find("\"id\":").unwrap() + 5;
    text[from..].chars().take_while(|letter| *letter != ',' && *letter != '}').collect()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let code = std::fs::read_to_string(&args[1]).unwrap();
    let lines = std::fs::read_to_string(&args[2]).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    let mut context = Context::default();
    let write = NativeFunction::from_fn_ptr(|_, given, _| {
        let text = given[0].as_string().unwrap().to_std_string_escaped();
        SAID.with(|said| said.borrow_mut().push_back(text));
        Ok(JsValue::undefined())
    });
    context.register_global_callable(js_string!("writeLine"), 1, write).unwrap();
    boa_gc::force_collect();
    let empty = NOW.load(Relaxed);
    let started = Instant::now();
    context.eval(Source::from_bytes(code.as_bytes())).unwrap();
    context.run_jobs().unwrap();
    boa_gc::force_collect();
    let loaded = NOW.load(Relaxed) - empty;
    MOST.store(NOW.load(Relaxed), Relaxed);
    for line in &lines[..2] {
        read(&mut context, line);
    }
    SAID.with(|said| said.borrow_mut().clear());
    let (mut answered, mut first) = (0, 0.0);
    let began = Instant::now();
    for (at, line) in lines[2..].iter().enumerate() {
        read(&mut context, line);
        while let Some(text) = SAID.with(|said| said.borrow_mut().pop_front()) {
            if text.contains("\"elicitation/create\"") {
                read(&mut context, &format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"action\":\"accept\",\"content\":{{\"dry\":true}}}}}}", id_of(&text)));
            } else if text.contains("\"result\":{\"content\"") {
                answered += 1;
            }
        }
        if at % COLLECTED == COLLECTED - 1 {
            boa_gc::force_collect();
        }
        if at == 0 {
            first = started.elapsed().as_secs_f64() * 1e3;
        }
    }
    let calls = lines.len() - 2;
    let each = began.elapsed().as_secs_f64() * 1e6 / calls as f64;
    assert_eq!(answered, calls, "calls that were answered");
    println!("{{\"loaded\":{loaded},\"most\":{},\"code\":{},\"firstMs\":{first:.1},\"callUs\":{each:.0}}}", MOST.load(Relaxed) - empty, code.len());
}
